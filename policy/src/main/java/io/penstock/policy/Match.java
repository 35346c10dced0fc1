package io.penstock.policy;

import io.penstock.policy.Condition.Fit;
import io.penstock.policy.path.PathPatterns;
import io.penstock.policy.path.PathSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The conditions of a rule, all of which a request has to meet. Immutable. */
public record Match(List<Condition> conditions) {
  /** Matches every request. */
  public static final Match ANY = new Match(List.of());

  public Match {
    conditions = List.copyOf(conditions);
  }

  /** Returns whether a request meets all conditions with each of its values. */
  public boolean accepts(Request request) {
    return fit(request, null) == Fit.YES;
  }

  /** Tests all conditions as {@link Condition#fit} does. */
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

  /** Returns whether a request may match, ignoring conditions on claims that cannot be verified. */
  boolean mayAccept(Request request) {
    for (int i = 0; i < conditions.size(); i++) {
      Condition condition = conditions.get(i);
      if (!condition.accepts(request) && !condition.subject().isUnverifiable(request)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the match with its path patterns normalized according to {@code paths}. */
  public Match under(PathSettings paths) {
    for (Condition condition : conditions) {
      if (condition instanceof Condition.Like like && like.isOn(Attribute.AttributeSource.PATH)) {
        return new Match(conditions.stream().map(each -> under(paths, each)).toList());
      }
    }
    return this;
  }

  /** Returns the match with mapped bare names expanded. */
  public Match under(AttributeMap attributes) {
    return conditions.stream().noneMatch(condition -> condition.subject().isStated())
        ? this
        : new Match(conditions.stream().map(each -> under(attributes, each)).toList());
  }

  private static Condition under(AttributeMap attributes, Condition condition) {
    return condition instanceof Condition.OneOf oneOf
        ? new Condition.OneOf(attributes.expand(oneOf.subject()), oneOf.values())
        : condition;
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

  /** Returns whether this match provably accepts every request that {@code other} accepts. */
  public boolean covers(Match other) {
    return conditions.stream().allMatch(ours -> other.conditions.stream().anyMatch(ours::covers));
  }

  /** Returns the conditions on the route of a request: its path, method and host. */
  public Match route() {
    return new Match(conditions.stream().filter(Match::isOnRoute).toList());
  }

  /** Returns the conditions on all other attributes. */
  Match withoutRoute() {
    return new Match(conditions.stream().filter(condition -> !isOnRoute(condition)).toList());
  }

  private static boolean isOnRoute(Condition condition) {
    return condition.subject().alternatives().stream()
        .anyMatch(attribute -> attribute.source().isRoute());
  }
}
