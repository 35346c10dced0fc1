package io.penstock.redis;

/** Rules of leases that a model can leave out, to see that they are needed. */
enum LeaseFlaw {
  /** What is out on lease is no floor under the debt: the bucket refills as if it were spent. */
  NO_FLOOR,
  /** When a lease ends, what was out is there at once. */
  ENDS_WITH_A_JUMP,
  /** The store takes a call for good whatever came before it. */
  NO_NUMBERS,
  /** What is given back counts even if the lease is over. */
  BACK_AT_ANY_TIME,
  /** The lease ends for the store when it ends for the holder, by the store's clock. */
  NO_MARGIN,
  /** The holder counts the length of its lease from the answer. */
  COUNTED_FROM_THE_ANSWER,
  /** The holder looks whether its lease is over before it takes, not after. */
  CLOCK_READ_FIRST,
  /** The holder takes an answer for good although it has asked again since. */
  ANSWERS_AT_ANY_TIME
}
