package io.penstock.policy;

/** Is told what rules say, for counting. Called on the threads of requests: must not block. */
@FunctionalInterface
public interface PolicyObserver {
  /** Nobody. */
  PolicyObserver NONE = outcome -> {};

  /** A rule that applied to a request has said {@code outcome}. */
  void decided(Outcome outcome);
}
