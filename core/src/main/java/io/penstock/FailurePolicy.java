package io.penstock;

/** What becomes of a request while its store can't be asked. */
public enum FailurePolicy {
  /** It is allowed, and no state changes. */
  OPEN,
  /** It is denied. */
  CLOSED,
  /** A bucket in this process decides, with this node's share of the limit. */
  LOCAL
}
