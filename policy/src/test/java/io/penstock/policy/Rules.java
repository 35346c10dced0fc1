package io.penstock.policy;

import io.penstock.Limit;
import io.penstock.policy.Rule.Rollout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A builder of rules for tests. */
final class Rules {
  private final String name;
  private List<KeyPart> keys = List.of();
  private final List<Condition> conditions = new ArrayList<>();
  private @Nullable String group;
  private @Nullable MissingKey onMissingKey;
  private List<Limit> limits = List.of(Limit.perSecond(1).burst(1_000_000));
  private Rollout rollout = Rollout.ALL;

  private Rules(String name) {
    this.name = name;
  }

  static Rules rule(String name) {
    return new Rules(name);
  }

  Rules by(String... keys) {
    this.keys = List.of(keys).stream().map(KeyPart::parse).toList();
    return this;
  }

  Rules where(String attribute, String... values) {
    KeyPart subject = KeyPart.parse(attribute);
    Attribute.AttributeSource source = subject.alternatives().get(0).source();
    boolean like =
        source == Attribute.AttributeSource.PATH || source == Attribute.AttributeSource.HOST;
    conditions.add(
        like
            ? new Condition.Like(subject, List.of(values).stream().map(Pattern::new).toList())
            : new Condition.OneOf(subject, Set.of(values)));
    return this;
  }

  Rules where(Condition condition) {
    conditions.add(condition);
    return this;
  }

  Rules group(String group) {
    this.group = group;
    return this;
  }

  Rules missing(MissingKey onMissingKey) {
    this.onMissingKey = onMissingKey;
    return this;
  }

  Rules limits(Limit... limits) {
    this.limits = List.of(limits);
    return this;
  }

  Rules unlimited() {
    return limits();
  }

  Rules mode(Mode mode, int percent) {
    this.rollout = new Rollout(mode, percent);
    return this;
  }

  Rule build() {
    return Rule.builder(name)
        .limitKeys(keys)
        .match(new Match(conditions))
        .group(group)
        .onMissingKey(onMissingKey)
        .limits(limits)
        .rollout(rollout)
        .build();
  }
}
