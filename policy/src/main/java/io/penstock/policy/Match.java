package io.penstock.policy;

import java.util.List;

/** What a rule wants of a request: all of its conditions. Immutable. */
public record Match(List<Condition> conditions) {
  /** Every request. */
  public static final Match ANY = new Match(List.of());

  public Match {
    conditions = List.copyOf(conditions);
  }

  public boolean accepts(Request request) {
    for (int i = 0; i < conditions.size(); i++) {
      if (!conditions.get(i).accepts(request)) {
        return false;
      }
    }
    return true;
  }

  /** Whether this accepts every request that {@code other} does, as far as can be told. */
  public boolean covers(Match other) {
    return conditions.stream().allMatch(ours -> other.conditions.stream().anyMatch(ours::covers));
  }

  /** The conditions on where a request goes: its path, method and host. */
  public Match places() {
    return new Match(conditions.stream().filter(Match::isOnPlace).toList());
  }

  /** The conditions on everything else. */
  Match besidesPlaces() {
    return new Match(conditions.stream().filter(condition -> !isOnPlace(condition)).toList());
  }

  private static boolean isOnPlace(Condition condition) {
    return condition.subject().alternatives().stream()
        .anyMatch(attribute -> attribute.source().isPlace());
  }
}
