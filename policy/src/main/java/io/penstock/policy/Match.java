package io.penstock.policy;

import io.penstock.policy.Condition.Fit;
import io.penstock.policy.path.PathPatterns;
import io.penstock.policy.path.PathSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a rule wants of a request: all of its conditions. Immutable. */
public record Match(List<Condition> conditions) {
  /** Every request. */
  public static final Match ANY = new Match(List.of());

  public Match {
    conditions = List.copyOf(conditions);
  }

  /** Whether a request meets all conditions, whichever of several values of an attribute counts. */
  public boolean accepts(Request request) {
    return fit(request, null) == Fit.YES;
  }

  /** How far a request meets all conditions, as {@link Condition#fit} has it. */
  Fit fit(Request request, @Nullable RepeatedKey onRepeated) {
    Fit all = Fit.YES;
    for (int i = 0; i < conditions.size(); i++) {
      Fit fit = conditions.get(i).fit(request, onRepeated);
      if (fit == Fit.NO) {
        return Fit.NO;
      }
      all = fit == Fit.AMBIGUOUS ? fit : all;
    }
    return all;
  }

  /**
   * Whether it accepts a request, as far as that can be decided without the claims of its token.
   */
  boolean mayAccept(Request request) {
    for (int i = 0; i < conditions.size(); i++) {
      Condition condition = conditions.get(i);
      if (!condition.accepts(request) && !condition.subject().isUnverifiable(request)) {
        return false;
      }
    }
    return true;
  }

  /** The same match for paths that are made normal by {@code paths}. */
  public Match under(PathSettings paths) {
    for (Condition condition : conditions) {
      if (condition instanceof Condition.Like like && like.isOn(Attribute.AttributeSource.PATH)) {
        return new Match(conditions.stream().map(each -> under(paths, each)).toList());
      }
    }
    return this;
  }

  private static Condition under(PathSettings paths, Condition condition) {
    return condition instanceof Condition.Like like && like.isOn(Attribute.AttributeSource.PATH)
        ? new Condition.Like(
            like.subject(),
            like.patterns().stream()
                .flatMap(pattern -> PathPatterns.of(pattern.text(), paths).stream())
                .map(Pattern::new)
                .toList())
        : condition;
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
