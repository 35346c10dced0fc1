package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.load.PolicyLoader;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListenerWarningsTest {
  private static List<String> warnings(String policy, boolean hasProxy) {
    return ListenerWarnings.of(PolicyLoader.parse(policy, "p.yaml").policy(), hasProxy);
  }

  private static List<String> ofRule(String fields) {
    return warnings("{name: r, rate: 1/s, " + fields + "}", true);
  }

  @Test
  void ruleWithABareName_isReportedForEachListener() {
    assertThat(ofRule("limit_keys: [user_id]"))
        .containsExactly(
            "decision listener, /v1/forward-auth: rule r never applies: nothing supplies user_id;"
                + " map it to a header or claim under attributes",
            "proxy listener: rule r never applies: nothing supplies user_id; map it to a header or"
                + " claim under attributes");
    assertThat(ofRule("limit_keys: [], match: {plan: pro}")).hasSize(2);
    assertThat(ofRule("limit_keys: [user_id], on_missing_key: share"))
        .allMatch(line -> line.contains("counts all requests in one bucket"));
    assertThat(ofRule("limit_keys: [user_id], on_missing_key: deny"))
        .allMatch(line -> line.contains("denies every request"));
  }

  @Test
  void ruleWithASource_isNotReported() {
    assertThat(ofRule("limit_keys: [user_id|ip:address]")).isEmpty();
    assertThat(ofRule("limit_keys: ['header:x'], match: {path: /a}")).isEmpty();
    assertThat(ofRule("limit_keys: [user_id], mode: off")).isEmpty();
    assertThat(
            warnings(
                "{rules: [{name: r, limit_keys: [user_id], rate: 1/s, manual: true},"
                    + " {name: s, limit_keys: [], rate: 1/s}]}",
                true))
        .isEmpty();
    assertThat(
            warnings(
                "{attributes: {user_id: 'header:x-user'}, rules: [{name: r, limit_keys: [user_id],"
                    + " rate: 1/s}]}",
                true))
        .isEmpty();
  }

  @Test
  void onlyManualRules_areReported() {
    assertThat(ofRule("limit_keys: [], manual: true"))
        .containsExactly(
            "no listener limits any request: every rule is manual, and only applications evaluate"
                + " manual rules; remove manual: true");
    assertThat(
            warnings(
                "{rules: [{name: r, limit_keys: [], rate: 1/s, manual: true},"
                    + " {name: s, limit_keys: [], rate: 1/s, mode: off}]}",
                false))
        .hasSize(1);
  }

  @Test
  void declaredName_isReportedForTheProxyOnly() {
    String policy =
        "{attributes: {user_id: caller}, rules: [{name: r, limit_keys: [user_id], rate: 1/s}]}";
    assertThat(warnings(policy, false)).isEmpty();
    assertThat(warnings(policy, true)).singleElement().asString().startsWith("proxy listener: ");
  }

  @Test
  void claims_withoutTokens_areReported() {
    String policy =
        "{jwt: %s, rules: [{name: r, limit_keys: [], match: {'jwt:plan': pro}, rate: 1/s}]}";
    assertThat(warnings(policy.formatted("caller"), true)).hasSize(2);
    assertThat(warnings(policy.formatted("trusted"), true)).isEmpty();
  }
}
