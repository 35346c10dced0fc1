package io.penstock.policy;

import io.penstock.policy.Attribute.AttributeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A rule that depends on attributes which no HTTP request has: bare names without a source, and
 * claims while no tokens are accepted. Where no caller supplies them, as at a proxy, such a rule
 * never applies, or treats all requests alike. Immutable.
 *
 * @param rule the rule
 * @param missing the attributes that no request has
 * @param effect what happens to requests
 */
public record UnsuppliedRule(Rule rule, Set<String> missing, Effect effect) {
  public UnsuppliedRule {
    missing = Collections.unmodifiableSet(new TreeSet<>(missing));
  }

  /** What a rule does to requests that lack its attributes. */
  public enum Effect {
    NEVER_APPLIES("never applies"),
    SHARES_A_BUCKET("counts all requests in one bucket"),
    DENIES("denies every request");

    private final String text;

    Effect(String text) {
      this.text = text;
    }
  }

  /** Returns the rules of a policy that depend on missing attributes, in policy order. */
  public static List<UnsuppliedRule> in(Policy policy) {
    List<UnsuppliedRule> found = new ArrayList<>();
    for (Rule rule : policy.rules()) {
      if (rule.rollout().mode() != Mode.OFF && !rule.isManual()) {
        add(rule, policy.jwt().acceptTokens(), found);
      }
    }
    return found;
  }

  private static void add(Rule rule, boolean hasClaims, List<UnsuppliedRule> found) {
    Set<String> missing = new TreeSet<>();
    for (Condition condition : rule.match().conditions()) {
      addMissing(condition.subject(), hasClaims, missing);
    }
    Effect effect = Effect.NEVER_APPLIES;
    for (KeyPart part : missing.isEmpty() ? rule.limitKeys() : List.<KeyPart>of()) {
      if (addMissing(part, hasClaims, missing)) {
        effect =
            switch (rule.onMissing(part)) {
              case SKIP -> Effect.NEVER_APPLIES;
              case SHARE -> Effect.SHARES_A_BUCKET;
              case DENY -> Effect.DENIES;
            };
        break;
      }
    }
    if (!missing.isEmpty()) {
      found.add(new UnsuppliedRule(rule, missing, effect));
    }
  }

  /** Adds the attributes of a part if no request has any of them; returns whether that is so. */
  private static boolean addMissing(KeyPart part, boolean hasClaims, Set<String> missing) {
    boolean supplied =
        part.alternatives().stream()
            .map(Attribute::source)
            .anyMatch(
                source ->
                    source != AttributeSource.STATED
                        && (source != AttributeSource.CLAIM || hasClaims));
    if (!supplied) {
      part.alternatives().forEach(attribute -> missing.add(attribute.toString()));
    }
    return !supplied;
  }

  /** Returns a description such as {@code rule users never applies: nothing supplies user_id}. */
  @Override
  public String toString() {
    return "rule "
        + rule.name()
        + " "
        + effect.text
        + ": nothing supplies "
        + String.join(", ", missing);
  }
}
