package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.Consistency;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.StoreOptions;
import io.penstock.policy.Attribute;
import io.penstock.policy.Condition;
import io.penstock.policy.Cost;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import io.penstock.policy.Mode;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.jwt.JwtSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The long form of rules that users migrate from other limiters, and the equivalent short form. */
class PolicyLoaderSeedTest {
  private static final String BARE =
      """
      {
        "name": "global-rps",
        "limit_keys": ["ip:address"],
        "algorithm": "token_bucket",
        "algorithm_config": {"rps": 5, "burst": 10}
      }
      """;

  private static final String TIERS =
      """
      {"rules": [
        {"name": "enterprise", "limit_keys": ["header:x-api-key"], "algorithm": "token_bucket",
         "algorithm_config": {"rps": 1000, "burst": 2000}, "match": {"jwt:plan": "enterprise"}},
        {"name": "free", "limit_keys": ["header:x-api-key"], "algorithm": "token_bucket",
         "algorithm_config": {"rps": 10, "burst": 20}}
      ]}
      """;

  private static Rule configured(String config) {
    String rule =
        "{\"name\": \"r\", \"limit_keys\": [], \"algorithm\": \"token_bucket\","
            + " \"algorithm_config\": "
            + config
            + "}";
    return PolicyLoader.parse(rule, "p.json").policy().rules().get(0);
  }

  @Test
  void parse_bareRule_isPolicyOfOne() {
    Policy policy = PolicyLoader.parse(BARE, "p.json").policy();

    assertThat(policy.mode()).isEqualTo(Mode.ENFORCE);
    assertThat(policy.jwt()).isEqualTo(JwtSettings.NONE);
    assertThat(policy.rules())
        .singleElement()
        .satisfies(
            rule -> {
              assertThat(rule.name()).isEqualTo("global-rps");
              assertThat(rule.limitKeys()).containsExactly(KeyPart.parse("ip:address"));
              assertThat(rule.match()).isEqualTo(Match.ANY);
              assertThat(rule.limits()).containsExactly(Limit.perSecond(5).burst(10));
              assertThat(rule.cost()).isEqualTo(Cost.fixed(1000));
              assertThat(rule.storeOptions()).isEqualTo(StoreOptions.DEFAULT);
              assertThat(rule.rollout()).isEqualTo(Rule.Rollout.ALL);
              assertThat(rule.maxDelay()).isZero();
              assertThat(rule.onMissingKey()).isNull();
              assertThat(rule.group()).isNull();
            });
  }

  @Test
  void parse_tieredRules_areOneGroupInOrder() {
    List<Rule> rules = PolicyLoader.parse(TIERS, "p.json").policy().rules();

    assertThat(rules).extracting(Rule::name).containsExactly("enterprise", "free");
    assertThat(rules.get(0).match())
        .isEqualTo(
            new Match(
                List.of(new Condition.OneOf(KeyPart.parse("jwt:plan"), Set.of("enterprise")))));
    assertThat(rules.get(0).limits()).containsExactly(Limit.perSecond(1000).burst(2000));
    assertThat(rules.get(1).limits()).containsExactly(Limit.perSecond(10).burst(20));
    assertThat(rules.get(0).tierGroup()).isEqualTo(rules.get(1).tierGroup());
  }

  @Test
  void parse_fixedCostBesideDefaultCost_takesTheFixedOne() {
    Rule rule =
        configured(
            """
            {"tokens_per_second": 100, "burst": 200, "cost_source": "fixed",
             "fixed_cost": 1, "default_cost": 1}
            """);

    assertThat(rule.limits()).containsExactly(Limit.perSecond(100).burst(200));
    assertThat(rule.cost()).isEqualTo(Cost.fixed(1000));
  }

  @Test
  void parse_costFromHeader_isReadFromIt() {
    Rule rule =
        configured(
            """
            {"tokens_per_second": 100, "burst": 1000,
             "cost_source": "header:X-Request-Weight", "default_cost": 1}
            """);

    assertThat(rule.cost())
        .isEqualTo(new Cost(Attribute.parse("header:x-request-weight"), 1000, 1000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"burst\": 10}",
        "{\"rps\": 5}",
        "{\"rps\": 5, \"tokens_per_second\": 5, \"burst\": 10}",
        "{\"rps\": 0, \"burst\": 10}",
        "{\"rps\": -1, \"burst\": 10}",
        "{\"rps\": 5, \"burst\": 4.999}",
        "{\"rps\": 5, \"burst\": 0}",
        "{\"rps\": \"5\", \"burst\": 10}",
        "{\"rps\": 5, \"burst\": null}",
        "{\"rps\": 5, \"burst\": 10, \"fixed_cost\": 0}",
        "{\"rps\": 5, \"burst\": 10, \"default_cost\": -1}",
        "{\"rps\": 5, \"burst\": 10, \"cost_source\": \"jwt:weight\"}",
        "{\"rps\": 5, \"burst\": 10, \"limit\": 10}",
        "{\"rps\": 5, \"bursts\": 10}",
        "[]"
      })
  void parse_configAgainstItsConstraints_isRejected(String config) {
    assertThatThrownBy(() -> configured(config)).isInstanceOf(PolicyException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rate: 5/s", "burst: 5", "fixed_cost: 2", "limits: []", "window: 1s"})
  void parse_bothFormsInOneRule_isRejectedAtTheField(String field) {
    assertThat(Loading.plainErrors("algorithm_config: {rps: 5, burst: 10}, " + field))
        .singleElement()
        .asString()
        .startsWith(
            field.substring(0, field.indexOf(':')) + ": can't be combined with algorithm_config");
  }

  @Test
  void parse_windowInLongForm_hasLimitAndWindow() {
    assertThat(
            Loading.plain("algorithm: fixed_window, algorithm_config: {limit: 100, window: 1m}")
                .limits())
        .containsExactly(Limit.fixedWindow(100, Duration.ofMinutes(1)));
  }

  @Test
  void parse_shortForm_isEquivalent() {
    Policy policy =
        Loading.policy(
            """
            exempt:
              - match: {"ip:address": [10.0.0.0/8]}
            rules:
              - {name: acme,   limit_keys: [user_id], match: {tenant: acme}, rate: 1000/s, burst: 2000, group: user}
              - {name: pro,    limit_keys: [user_id], match: {plan: pro},    rate: 100/s,  burst: 500,  group: user}
              - {name: others, limit_keys: [user_id|ip:address],             rate: 10/s,   burst: 50,   group: user}
              - {name: login,  limit_keys: ["ip:address"], match: {method: POST, path: /login}, rate: 5/min, burst: 5, on_store_failure: closed}
              - {name: global, limit_keys: [], rate: 50000/s, burst: 100000, consistency: leased}
              - {name: llm,    limit_keys: [tenant], match: {path: /v1/chat/*}, rate: 100000/min, burst: 20000, cost_source: tokens}
            """);
    Map<String, Rule> rules =
        policy.rules().stream().collect(Collectors.toMap(Rule::name, rule -> rule));

    assertThat(policy.exempt()).hasSize(1);
    assertThat(policy.rules())
        .extracting(Rule::name)
        .containsExactly("acme", "pro", "others", "login", "global", "llm");
    assertThat(rules.get("acme").tierGroup()).isEqualTo(rules.get("others").tierGroup());
    assertThat(rules.get("others").limitKeys())
        .containsExactly(KeyPart.parse("user_id|ip:address"));
    assertThat(rules.get("login").limits()).containsExactly(Limit.perMinute(5).burst(5));
    assertThat(rules.get("login").storeOptions().onFailure()).isEqualTo(FailurePolicy.CLOSED);
    assertThat(rules.get("global").storeOptions().consistency()).isEqualTo(Consistency.LEASED);
    assertThat(rules.get("llm").cost().source()).isEqualTo(Attribute.parse("tokens"));
  }
}
