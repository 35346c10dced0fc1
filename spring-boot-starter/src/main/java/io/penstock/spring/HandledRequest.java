package io.penstock.spring;

import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import org.jspecify.annotations.Nullable;

/** The request that the current thread handles. Thread-safe. */
interface HandledRequest {
  /** Threads are not bound to requests. */
  HandledRequest NONE =
      new HandledRequest() {
        @Override
        public @Nullable Request current() {
          return null;
        }

        @Override
        public void note(Verdict verdict) {}
      };

  /** As rules see it; null if there is none. */
  @Nullable Request current();

  /** Says in its response how things stand after a verdict that allows it. */
  void note(Verdict verdict);
}
