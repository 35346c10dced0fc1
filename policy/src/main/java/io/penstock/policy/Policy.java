package io.penstock.policy;

import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.path.PathSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rules and what they need to be applied. Immutable.
 *
 * @param rules in their order: of tiers, the first that matches applies
 * @param exempt requests to which no rule applies
 * @param mode the mode for all: shadow turns enforcing rules into shadows, off turns all off
 * @param clientAddress how the address of a client is told
 * @param jwt whose tokens count
 * @param keySecret the key for hashes of private values; null hashes without one
 * @param paths how paths are made normal, those of requests and those that rules name
 */
public record Policy(
    List<Rule> rules,
    List<Match> exempt,
    Mode mode,
    ClientAddress clientAddress,
    JwtSettings jwt,
    @Nullable String keySecret,
    PathSettings paths) {

  public Policy {
    rules = rules.stream().map(rule -> rule.under(paths)).toList();
    exempt = exempt.stream().map(match -> match.under(paths)).toList();
  }

  /** A policy with the usual settings for paths. */
  public Policy(
      List<Rule> rules,
      List<Match> exempt,
      Mode mode,
      ClientAddress clientAddress,
      JwtSettings jwt,
      @Nullable String keySecret) {
    this(rules, exempt, mode, clientAddress, jwt, keySecret, PathSettings.DEFAULT);
  }

  /** A policy of rules alone. */
  public static Policy of(Rule... rules) {
    return new Policy(
        List.of(rules), List.of(), Mode.ENFORCE, ClientAddress.PEER, JwtSettings.NONE, null);
  }

  /** Without the secret, which is nobody's to see. */
  @Override
  public String toString() {
    return "Policy of " + rules.size() + " rules, mode " + mode.code();
  }
}
