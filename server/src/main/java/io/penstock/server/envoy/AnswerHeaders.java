package io.penstock.server.envoy;

import io.penstock.server.envoy.LimitAnswer.CurrentLimit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The headers that Envoy adds to its response. Immutable.
 *
 * @param limits the headers with the figures of the decisive limit; empty for none
 */
public record AnswerHeaders(Optional<LimitHeaders> limits) {
  /** Returns the headers by name, in order. */
  Map<String, String> of(LimitAnswer answer) {
    Map<String, String> headers = new LinkedHashMap<>();
    limits.ifPresent(names -> answer.decisive().ifPresent(status -> add(names, status, headers)));
    if (answer.degradation() != null) {
      headers.put("Penstock-Degraded", answer.degradation().code());
    }
    return headers;
  }

  private static void add(
      LimitHeaders names, LimitAnswer.DescriptorStatus status, Map<String, String> headers) {
    CurrentLimit limit = status.limit();
    if (limit != null) {
      headers.put(names.limit(), String.valueOf(limit.requestsPerUnit()));
      headers.put(names.remaining(), String.valueOf(status.remaining()));
      headers.put(names.reset(), String.valueOf(Math.max(0, status.resetSeconds())));
    }
  }
}
