package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.Condition;
import io.penstock.policy.KeyPart;
import io.penstock.policy.MissingKey;
import io.penstock.policy.Rule;

/** Warns of rules that clients can bypass, or use up for others. */
final class RuleWarnings {
  private RuleWarnings() {}

  static void check(Rule rule, Fields fields) {
    for (KeyPart part : rule.limitKeys()) {
      if (rule.onMissing(part) == MissingKey.SKIP && canBeOmitted(part, rule)) {
        fields.warning("on_missing_key", "clients can bypass this rule by omitting " + part);
      }
    }
    int percent = rule.rollout().enforcePercent();
    if (rule.limitKeys().isEmpty() && !rule.isUnlimited() && percent > 0 && percent < 100) {
      fields.warning(
          "enforce_percent",
          "a rule with one bucket is enforced for all requests or for none, not for a share of"
              + " them: "
              + percent
              + "; use mode: shadow or enforce");
    }
    if (rule.onMissingKey() == null
        && !rule.isUnlimited()
        && !rule.limitKeys().isEmpty()
        && rule.limitKeys().stream().allMatch(part -> canBeOmitted(part, rule))) {
      fields.warning("limit_keys", sharedBucket(rule.limitKeys().get(0)));
    }
    if (!rule.isUnlimited()
        && !rule.limitKeys().isEmpty()
        && rule.limitKeys().stream().allMatch(part -> canBeInvented(part, rule))) {
      fields.warning(
          "limit_keys", "clients can invent values of these keys, and get a new bucket for each");
    }
  }

  private static String sharedBucket(KeyPart part) {
    return "all clients without "
        + part
        + " share one bucket, and one of them can use it up; did you mean "
        + part
        + "|ip:address? State on_missing_key: share to keep the bucket";
  }

  private static boolean canBeOmitted(KeyPart part, Rule rule) {
    return part.isOmittable()
        && part.alternatives().stream().noneMatch(RuleWarnings::isAlwaysPresent)
        && !isPinned(part, rule);
  }

  private static boolean isAlwaysPresent(Attribute attribute) {
    return attribute.source().isRoute() || attribute.source() == Attribute.AttributeSource.ADDRESS;
  }

  private static boolean canBeInvented(KeyPart part, Rule rule) {
    return part.alternatives().stream()
            .map(Attribute::source)
            .anyMatch(source -> source.isPrivate() || source.isRoute())
        && !isPinned(part, rule);
  }

  /** Returns whether the rule applies only to certain values of the key. */
  private static boolean isPinned(KeyPart part, Rule rule) {
    return rule.match().conditions().stream().map(Condition::subject).anyMatch(part::equals);
  }
}
