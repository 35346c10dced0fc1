package io.penstock.policy.cases;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Attribute;
import io.penstock.policy.Policy;
import io.penstock.policy.SamplePolicy;
import io.penstock.policy.load.PolicyLoader;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DenialExampleTest {
  @Test
  void overHttp_samplePolicy_repeatsTheFewestRequests() {
    assertThat(DenialExample.overHttp(policy(SamplePolicy.text())))
        .contains(
            new DenialExample(
                "payment", Map.of(at("method"), "POST", at("path"), "/payment"), 0, 4, true));
  }

  @Test
  void overHttp_keyByAddress_needsNoValues() {
    assertThat(
            DenialExample.overHttp(
                rules("{name: a, limit_keys: ['ip:address'], rate: 6/h, burst: 3}")))
        .contains(new DenialExample("a", Map.of(), 0, 4, true));
  }

  /** The policy that {@code penstock init} writes by default. */
  @Test
  void overHttp_limitThatRefillsMeanwhile_isNotExact() {
    assertThat(
            DenialExample.overHttp(
                rules("{name: a, limit_keys: ['ip:address'], rate: 100/min, burst: 20}")))
        .contains(new DenialExample("a", Map.of(), 0, 24, false));
  }

  @Test
  void overHttp_severalRules_prefersAnExactExample() {
    assertThat(
            DenialExample.overHttp(
                rules(
                    "{name: a, limit_keys: ['ip:address'], rate: 3/s, burst: 2},"
                        + " {name: b, limit_keys: [], match: {path: /b}, rate: 1/min, burst: 1}")))
        .contains(new DenialExample("b", Map.of(at("path"), "/b"), 0, 2, true));
  }

  @Test
  void overHttp_keyByHeader_setsTheHeader() {
    assertThat(
            DenialExample.overHttp(
                rules("{name: a, limit_keys: ['header:x-api-key'], rate: 1/min, burst: 1}")))
        .contains(new DenialExample("a", Map.of(at("header:x-api-key"), "alice"), 0, 2, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{name: a, limit_keys: [user_id], rate: 1/min, burst: 1}",
        "{name: a, limit_keys: [], match: {plan: pro}, rate: 1/min, burst: 1}",
        "{name: a, limit_keys: [], match: {'ip:address': 10.0.0.0/8}, rate: 1/min, burst: 1}",
        "{name: a, limit_keys: [], rate: 10/s, burst: 100}",
      })
  void overHttp_notReachableByHttpOrTooFast_isEmpty(String rule) {
    assertThat(DenialExample.overHttp(rules(rule))).isEmpty();
  }

  @Test
  void described_keyByAttribute_setsTheAttribute() {
    assertThat(
            DenialExample.described(rules("{name: a, limit_keys: [user_id], rate: 6/h, burst: 3}")))
        .contains(new DenialExample("a", Map.of(at("user_id"), "alice"), 0, 4, true));
  }

  @Test
  void described_network_usesAnAddressOfTheNetwork() {
    assertThat(
            DenialExample.described(
                rules(
                    "{name: a, limit_keys: [], match: {'ip:address': 10.0.0.0/8, path: '/v*/x'},"
                        + " rate: 1/min, burst: 1}")))
        .contains(
            new DenialExample(
                "a", Map.of(at("ip:address"), "10.0.0.0", at("path"), "/vexample/x"), 0, 2, true));
  }

  @Test
  void described_highLimit_takesTheWholeBurstAtOnce() {
    assertThat(DenialExample.described(rules("{name: a, limit_keys: [], rate: 10/s, burst: 100}")))
        .contains(new DenialExample("a", Map.of(), 100, 2, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{name: a, limit_keys: [], rate: 1/min, burst: 1, mode: shadow}",
        "{name: a, limit_keys: [], rate: 1/min, burst: 1, mode: 'off'}",
        "{name: a, limit_keys: [], unlimited: true}",
        "{name: a, limit_keys: [], rate: 1000/s, burst: 10}",
      })
  void described_ruleThatDeniesNothingInTime_isEmpty(String rule) {
    assertThat(DenialExample.described(rules(rule))).isEmpty();
  }

  @Test
  void overHttp_exemptRequests_areNotAnExample() {
    Policy policy =
        policy(
            """
            exempt: [{match: {"ip:address": 127.0.0.0/8}}]
            rules:
              - {name: a, limit_keys: [], match: {path: /login}, rate: 1/min, burst: 1}
            """);

    assertThat(DenialExample.overHttp(policy)).isEmpty();
  }

  private static Attribute at(String text) {
    return Attribute.parse(text);
  }

  private static Policy rules(String rule) {
    return policy("rules: [" + rule + "]");
  }

  private static Policy policy(String text) {
    return PolicyLoader.parse(text, "policy.yaml").policy();
  }
}
