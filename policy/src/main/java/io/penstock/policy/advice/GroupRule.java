package io.penstock.policy.advice;

import io.penstock.policy.Policy;
import io.penstock.policy.RuleProbe;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rule for a group of requests. It may apply to requests of other groups as well, because
 * {@code *} in a path also matches slashes. Immutable.
 */
final class GroupRule implements AutoCloseable {
  private static final int MAX_LENGTH = 100;

  private final Map<String, String> match;
  private final @Nullable RuleProbe probe;

  GroupRule(Map<String, String> match, AdviceOptions options) {
    this.match = match;
    this.probe = match.isEmpty() ? null : probe(match, options);
  }

  /** Returns null if there can be no such rule. */
  private static @Nullable RuleProbe probe(Map<String, String> match, AdviceOptions options) {
    String text =
        AdvicePolicy.declarations(options)
            + "rules:\n  - {name: group, limit_keys: [], rate: 1/s, burst: 1, "
            + AdvicePolicy.match(match)
            + "}\n";
    try {
      Policy policy = PolicyLoader.parse(text, "group").policy();
      return new RuleProbe(policy);
    } catch (PolicyException e) {
      return null;
    }
  }

  Map<String, String> match() {
    return match;
  }

  String label() {
    return label(match);
  }

  /** Returns the values, shortened. */
  static String label(Map<String, String> match) {
    return match.isEmpty()
        ? "all requests"
        : match.values().stream().map(GroupRule::shortened).collect(Collectors.joining(" "));
  }

  private static String shortened(String value) {
    return value.length() <= MAX_LENGTH ? value : value.substring(0, MAX_LENGTH) + "…";
  }

  /** Returns whether a policy can contain the rule. */
  boolean isWritable() {
    return match.isEmpty() || probe != null;
  }

  /** Returns how the rule treats the requests of a class. */
  RuleProbe.Treatment treatment(RequestClass requests) {
    return probe == null
        ? match.equals(requests.match()) ? RuleProbe.Treatment.COUNTED : RuleProbe.Treatment.SKIPPED
        : probe.test(requests.example());
  }

  @Override
  public void close() {
    if (probe != null) {
      probe.close();
    }
  }
}
