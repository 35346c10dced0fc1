package io.penstock.policy;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.IpAddress;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a rule wants of one attribute of a request. Immutable. */
public sealed interface Condition {
  /** What has to be so; of several, the first that the request has. */
  KeyPart subject();

  /** How far a request meets a condition. */
  enum Fit {
    NO,
    YES,
    /** The attribute is repeated, and only some of its values match. */
    AMBIGUOUS
  }

  /**
   * Whether a request meets the condition under a rule.
   *
   * @param onRepeated what the rule makes of several values; null to want each of them to meet it
   */
  Fit fit(Request request, @Nullable RepeatedKey onRepeated);

  /** Whether a request meets the condition, whichever of several values counts. */
  default boolean accepts(Request request) {
    return fit(request, null) == Fit.YES;
  }

  /** All values that it accepts; none if they can't be listed. */
  default Set<String> values() {
    return Set.of();
  }

  /** What it wants, for people. */
  String wants();

  /** Whether this accepts every request that {@code other} does, as far as can be told. */
  boolean covers(Condition other);

  /** One of some values, compared as they are; of methods, HEAD is what GET is. */
  record OneOf(KeyPart subject, Set<String> values) implements Condition {
    public OneOf {
      values = Set.copyOf(values);
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
        String counts = onRepeated.chosen(value, several);
        if (counts == null) {
          return several.stream().anyMatch(values::contains) ? Fit.AMBIGUOUS : Fit.NO;
        }
        if (!counts.isEmpty()) {
          return fit(counts);
        }
      }
      return Fit.NO;
    }

    private Fit fit(String value) {
      return matches(value) ? Fit.YES : Fit.NO;
    }

    private boolean matches(String value) {
      return values.contains(value) || (value.equals("HEAD") && isOnGet());
    }

    private boolean isOnGet() {
      return subject.alternatives().get(0).source() == Attribute.AttributeSource.METHOD
          && values.contains("GET");
    }

    @Override
    public String wants() {
      return values.stream().sorted().collect(joining(" or "));
    }

    @Override
    public boolean covers(Condition other) {
      return other instanceof OneOf that
          && subject.equals(that.subject)
          && that.values.stream().allMatch(this::matches);
    }
  }

  /** One of some paths or hosts, {@code *} standing for anything; the order doesn't matter. */
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

    /** Whether it is about the path, or about the host. */
    boolean isOn(Attribute.AttributeSource place) {
      return subject.alternatives().get(0).source() == place;
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
    public String wants() {
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

  /** An address within one of some networks. */
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
    public String wants() {
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
