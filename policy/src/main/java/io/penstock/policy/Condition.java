package io.penstock.policy;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static java.util.stream.Collectors.toUnmodifiableSet;

import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.parameter.CookieValue;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A condition of a rule on one attribute of a request. Immutable. */
public sealed interface Condition {
  /**
   * Returns the attribute that is tested; of several alternatives, the first that the request has.
   */
  KeyPart subject();

  /** The result of testing a condition. */
  enum Fit {
    NO,
    YES,
    /** The attribute is repeated, and only some of its values match. */
    AMBIGUOUS
  }

  /**
   * Tests the condition for a rule.
   *
   * @param onRepeated how the rule handles repeated attributes; null if every value has to meet the
   *     condition
   */
  Fit fit(Request request, @Nullable RepeatedKey onRepeated);

  /** Returns whether a request meets the condition with each of its values. */
  default boolean accepts(Request request) {
    return fit(request, null) == Fit.YES;
  }

  /** Returns all accepted values; empty if they cannot be enumerated. */
  default Set<String> values() {
    return Set.of();
  }

  /** Describes the accepted values for people. */
  String describe();

  /** Returns whether this condition provably accepts every request that {@code other} accepts. */
  boolean covers(Condition other);

  /**
   * Accepts a set of exact values. A condition on the method {@code GET} also accepts {@code HEAD}.
   */
  record OneOf(KeyPart subject, Set<String> values) implements Condition {
    public OneOf {
      values = subject.hasCookie() ? withCanonical(values) : Set.copyOf(values);
    }

    /** Requests have the values of cookies in their canonical form. */
    private static Set<String> withCanonical(Set<String> values) {
      return Stream.concat(values.stream(), values.stream().map(CookieValue::canonical))
          .collect(toUnmodifiableSet());
    }

    @Override
    public Fit fit(Request request, @Nullable RepeatedKey onRepeated) {
      List<Attribute> alternatives = subject.alternatives();
      for (int i = 0; i < alternatives.size(); i++) {
        String value = alternatives.get(i).of(request);
        if (value == null) {
          if (alternatives.get(i).isUnverifiable(request)) {
            return Fit.NO;
          }
          continue;
        }
        List<String> several = alternatives.get(i).repeated(request, value);
        if (several == null) {
          return fit(value);
        }
        if (onRepeated == null) {
          return values.containsAll(several) ? Fit.YES : Fit.NO;
        }
        String chosen = alternatives.get(i).choose(onRepeated, request, value, several);
        if (chosen == null) {
          return several.stream().anyMatch(values::contains) ? Fit.AMBIGUOUS : Fit.NO;
        }
        if (!chosen.isEmpty()) {
          return fit(chosen);
        }
      }
      return Fit.NO;
    }

    private Fit fit(String value) {
      return matches(value) ? Fit.YES : Fit.NO;
    }

    private boolean matches(String value) {
      return values.contains(value) || (value.equals("HEAD") && includesGet());
    }

    private boolean includesGet() {
      return subject.alternatives().get(0).source() == Attribute.AttributeSource.METHOD
          && values.contains("GET");
    }

    @Override
    public String describe() {
      return values.stream().sorted().collect(joining(" or "));
    }

    @Override
    public boolean covers(Condition other) {
      return other instanceof OneOf that
          && subject.equals(that.subject)
          && that.values.stream().allMatch(this::matches);
    }
  }

  /**
   * Accepts paths or hosts that match one of several patterns with {@code *} as the wildcard. The
   * order doesn't matter.
   */
  record Like(KeyPart subject, List<Pattern> patterns) implements Condition {
    public Like {
      patterns = patterns.stream().distinct().sorted(comparing(Pattern::text)).toList();
    }

    @Override
    public Fit fit(Request request, @Nullable RepeatedKey onRepeated) {
      String value = subject.of(request);
      return value != null && matches(value) ? Fit.YES : Fit.NO;
    }

    @Override
    public Set<String> values() {
      return patterns.stream().allMatch(Pattern::isLiteral)
          ? patterns.stream().map(Pattern::text).collect(toSet())
          : Set.of();
    }

    /** Returns whether the condition tests this attribute, the path or the host. */
    boolean isOn(Attribute.AttributeSource source) {
      return subject.alternatives().get(0).source() == source;
    }

    private boolean matches(String value) {
      for (int i = 0; i < patterns.size(); i++) {
        if (patterns.get(i).matches(value)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public String describe() {
      return patterns.stream().map(Pattern::text).collect(joining(" or "));
    }

    @Override
    public boolean covers(Condition other) {
      return other instanceof Like that
          && subject.equals(that.subject)
          && that.patterns.stream()
              .allMatch(theirs -> patterns.stream().anyMatch(ours -> ours.covers(theirs)));
    }
  }

  /** Accepts addresses within one of several networks. */
  record Within(KeyPart subject, List<Cidr> networks) implements Condition {
    public Within {
      networks = List.copyOf(networks);
    }

    @Override
    public Fit fit(Request request, @Nullable RepeatedKey onRepeated) {
      IpAddress address = request.address();
      if (address == null) {
        return Fit.NO;
      }
      for (int i = 0; i < networks.size(); i++) {
        if (networks.get(i).contains(address)) {
          return Fit.YES;
        }
      }
      return Fit.NO;
    }

    @Override
    public String describe() {
      return networks.stream().map(Cidr::toString).collect(joining(" or "));
    }

    @Override
    public boolean covers(Condition other) {
      return other instanceof Within that
          && that.networks.stream()
              .allMatch(theirs -> networks.stream().anyMatch(ours -> ours.contains(theirs)));
    }
  }
}
