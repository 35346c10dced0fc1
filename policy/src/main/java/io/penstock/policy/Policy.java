package io.penstock.policy;

import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.path.PathSettings;
import java.util.List;
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
   * Returns whether the policy has rules that are not off, and all of them are manual. Only
   * applications evaluate manual rules, so no listener and no filter limits any request.
   */
  public boolean hasOnlyManualRules() {
    List<Rule> active = rules.stream().filter(rule -> rule.rollout().mode() != Mode.OFF).toList();
    return !active.isEmpty() && active.stream().allMatch(Rule::isManual);
  }

  /** Omits the secret. */
  @Override
  public String toString() {
    return "Policy of " + rules.size() + " rules, mode " + mode.code();
  }
}
