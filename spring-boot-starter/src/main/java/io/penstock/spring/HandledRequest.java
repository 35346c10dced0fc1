package io.penstock.spring;

import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import org.jspecify.annotations.Nullable;

/** The request that the current thread handles. Thread-safe. */
interface HandledRequest {
  /** For applications whose threads are not bound to requests. */
  HandledRequest NONE =
      new HandledRequest() {
        @Override
        public @Nullable Request current() {
          return null;
        }

        @Override
        public void record(Verdict verdict) {}
      };

  /** Returns the request in the form that rules evaluate; null if there is none. */
  @Nullable Request current();

  /** Adds the rate-limit headers of an allowing verdict to the response. */
  void record(Verdict verdict);
}
