package io.penstock.policy.advice;

import java.util.List;
import java.util.Map;

/**
 * The suggestions for a group of requests. Immutable.
 *
 * @param match the attributes that the requests share, with their values; empty for all requests
 * @param curve the bursts at all rates, in ascending order of rates
 * @param suggestions tight, balanced and generous
 */
public record GroupAdvice(
    String label,
    Map<String, String> match,
    long requests,
    long keys,
    List<CurvePoint> curve,
    List<Suggestion> suggestions) {

  /** Returns the suggestion with this name. */
  public Suggestion suggestion(String name) {
    return suggestions.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }
}
