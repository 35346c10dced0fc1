package io.penstock.redis;

/** Rules of leases that a model can omit, to show that they are necessary. */
enum LeaseFlaw {
  /** Leased tokens are not a lower bound of the debt: the bucket refills as if they were spent. */
  NO_FLOOR,
  /** When a lease expires, its tokens are available immediately. */
  ENDS_WITH_A_JUMP,
  /** The store accepts a call whatever came before it. */
  NO_NUMBERS,
  /** Returned tokens count even if the lease has expired. */
  BACK_AT_ANY_TIME,
  /** The lease expires for the store when it expires for the holder, by the store's clock. */
  NO_MARGIN,
  /** The holder counts the length of its lease from the response. */
  COUNTED_FROM_THE_ANSWER,
  /** The holder checks whether its lease has expired before it takes tokens, not after. */
  CLOCK_READ_FIRST,
  /** The holder accepts a response although it has sent another call since. */
  ANSWERS_AT_ANY_TIME
}
