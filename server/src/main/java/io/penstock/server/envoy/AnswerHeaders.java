package io.penstock.server.envoy;

import io.penstock.server.envoy.LimitAnswer.CurrentLimit;
import java.util.LinkedHashMap;
import java.util.Map;

/** The headers that Envoy adds to its response. Immutable. */
record AnswerHeaders(boolean limits) {
  /** Returns the headers by name, in order. */
  Map<String, String> of(LimitAnswer answer) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (limits) {
      answer
          .decisive()
          .ifPresent(
              status -> {
                CurrentLimit limit = status.limit();
                if (limit != null) {
                  headers.put("RateLimit-Limit", String.valueOf(limit.requestsPerUnit()));
                  headers.put("RateLimit-Remaining", String.valueOf(status.remaining()));
                  headers.put(
                      "RateLimit-Reset", String.valueOf(Math.max(0, status.resetSeconds())));
                }
              });
    }
    if (answer.degradation() != null) {
      headers.put("Penstock-Degraded", answer.degradation().code());
    }
    return headers;
  }
}
