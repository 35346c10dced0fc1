package io.penstock.redis;

/** An operation on the buckets of a request, with its code in the script. */
enum Operation {
  TAKE(0),
  PEEK(1),
  CHARGE(2),
  REFUND(3),
  RESET(4),
  LEASE(5),
  /** Refunds a charge, up to the level that the bucket would have without it. */
  GIVE_BACK(6),
  /** Reports what the copy in this process has granted, after decisions without Redis. */
  RAISE_DEBT(7);

  private final int code;

  Operation(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
