package io.penstock;

/** How a limiter decides requests while its store is unavailable. */
public enum FailurePolicy {
  /** Fail open: the request is allowed, and no state changes. */
  OPEN,
  /** Fail closed: the request is denied. */
  CLOSED,
  /** A bucket in this process decides, with this node's share of the limit. */
  LOCAL
}
