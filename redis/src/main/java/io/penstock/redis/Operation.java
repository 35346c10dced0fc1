package io.penstock.redis;

/** What a request does to its buckets, with the code of the operation in the script. */
enum Operation {
  TAKE(0),
  PEEK(1),
  CHARGE(2),
  REFUND(3),
  RESET(4),
  LEASE(5),
  GIVE_BACK(6),
  /** Raises the debt to what this node knows, after decisions without Redis. */
  RAISE(7);

  private final int code;

  Operation(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
