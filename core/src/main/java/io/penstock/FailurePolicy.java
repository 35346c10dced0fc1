package io.penstock;

/** How a limiter decides requests while its store is unavailable. */
public enum FailurePolicy {
  /** Fail open: the request is allowed, and no state changes. */
  OPEN,
  /** Fail closed: the request is denied. */
  CLOSED,
  /**
   * A bucket in this process decides, with the full limit. It starts from the last level that the
   * store reported. So n nodes together grant at most n times the limit, and no request is denied
   * that the store would have allowed, except for tokens that another node has refunded since then.
   */
  LOCAL,
  /**
   * Like {@link #LOCAL}, with this node's share of the limit: the limit divided by the number of
   * nodes. All nodes together grant about the limit, but a node with more than its share of the
   * traffic denies requests that the store would have allowed.
   */
  LOCAL_SHARE;

  /** Whether a bucket in this process decides. */
  public boolean isLocal() {
    return this == LOCAL || this == LOCAL_SHARE;
  }
}
