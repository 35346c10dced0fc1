package io.penstock.policy;

/**
 * A rule that matched a request but didn't apply to it, because the caller didn't supply a part of
 * its key. Rules with an explicit {@code on_missing_key} are not reported. Immutable.
 *
 * @param rule the rule
 * @param missing the part of the key that the request lacks
 */
public record SkippedRule(Rule rule, KeyPart missing) {
  /**
   * Returns whether to report a rule. A client without a token may lack its claims, which is not a
   * mistake.
   */
  static boolean isReported(Rule rule, KeyPart missing) {
    return rule.onMissingKey() == null
        && !rule.isUnlimited()
        && missing.alternatives().stream()
            .noneMatch(attribute -> attribute.source() == Attribute.AttributeSource.CLAIM);
  }
}
