package io.penstock.policy;

import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.path.PathSettings;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Rules and the settings for applying them. Immutable.
 *
 * @param rules in policy order: of the tiers of a group, the first that matches applies
 * @param exempt requests to which no rule applies
 * @param mode the mode of all rules: shadow turns enforcing rules into shadow rules, off disables
 *     all rules
 * @param clientAddress how the address of a client is determined
 * @param jwt which tokens are accepted
 * @param keySecret the secret for hashes of private values; null for hashes without a secret
 * @param paths how the paths of requests and rules are normalized
 * @param attributes the declared bare names; rules and exemptions have them expanded
 */
public record Policy(
    List<Rule> rules,
    List<Match> exempt,
    Mode mode,
    ClientAddress clientAddress,
    JwtSettings jwt,
    @Nullable String keySecret,
    PathSettings paths,
    AttributeMap attributes) {
  private static final String ONLY_MANUAL =
      "every rule is manual, so that the decision service, the proxy and the Spring filters limit no"
          + " request; only applications evaluate manual rules";

  public Policy {
    rules = rules.stream().map(rule -> rule.under(paths).under(attributes)).toList();
    exempt = exempt.stream().map(match -> match.under(paths).under(attributes)).toList();
  }

  /** Creates a policy with the default path settings, and without declared attributes. */
  public Policy(
      List<Rule> rules,
      List<Match> exempt,
      Mode mode,
      ClientAddress clientAddress,
      JwtSettings jwt,
      @Nullable String keySecret) {
    this(
        rules,
        exempt,
        mode,
        clientAddress,
        jwt,
        keySecret,
        PathSettings.DEFAULT,
        AttributeMap.NONE);
  }

  /** Returns a policy with these rules and default settings. */
  public static Policy of(Rule... rules) {
    return new Policy(
        List.of(rules), List.of(), Mode.ENFORCE, ClientAddress.PEER, JwtSettings.NONE, null);
  }

  /** Returns the policy with other rules. */
  public Policy withRules(List<Rule> others) {
    return new Policy(others, exempt, mode, clientAddress, jwt, keySecret, paths, attributes);
  }

  /** Returns the policy with other settings for tokens. */
  public Policy withJwt(JwtSettings settings) {
    return new Policy(rules, exempt, mode, clientAddress, settings, keySecret, paths, attributes);
  }

  /**
   * Returns why no listener and no filter denies a request, although rules are active: all of them
   * are manual, so that only applications evaluate them, or in shadow mode. Empty if some rule is
   * enforced, or if none is active.
   */
  public Optional<String> whyNothingIsDenied() {
    List<Rule> active =
        rules.stream()
            .filter(rule -> rule.rollout().mode() != Mode.OFF && !rule.isUnlimited())
            .toList();
    if (mode == Mode.OFF || active.isEmpty()) {
      return Optional.empty();
    }
    if (active.stream().allMatch(Rule::isManual)) {
      return Optional.of(ONLY_MANUAL);
    }
    if (mode == Mode.SHADOW) {
      return Optional.of("the policy has mode: shadow, so that no request is denied");
    }
    if (active.stream().allMatch(Policy::isShadow)) {
      return Optional.of("every rule has mode: shadow, so that no request is denied");
    }
    return active.stream().allMatch(rule -> rule.isManual() || isShadow(rule))
        ? Optional.of(
            "every rule is manual or has mode: shadow, so that only applications deny requests")
        : Optional.empty();
  }

  private static boolean isShadow(Rule rule) {
    return rule.rollout().mode() == Mode.SHADOW;
  }

  /** Omits the secret. */
  @Override
  public String toString() {
    return "Policy of " + rules.size() + " rules, mode " + mode.code();
  }
}
