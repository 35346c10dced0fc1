package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.load.PolicyLoader;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListenerWarningsTest {
  private static List<String> warnings(String policy, boolean hasProxy) {
    return ListenerWarnings.of(PolicyLoader.parse(policy, "p.yaml").policy(), hasProxy, false);
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
  void envoyListener_canSupplyNoAttributes() {
    String policy =
        "{attributes: {user_id: caller}, rules: [{name: r, limit_keys: [user_id], rate: 1/s}]}";
    assertThat(ListenerWarnings.of(PolicyLoader.parse(policy, "p.yaml").policy(), false, true))
        .containsExactly(
            "Envoy listener, ext_authz: rule r never applies: nothing supplies user_id; map it to a"
                + " header or claim under attributes");
  }

  @Test
  void onlyShadowRules_areReported() {
    assertThat(ofRule("limit_keys: [], mode: shadow"))
        .containsExactly(
            "all listeners: every rule has mode: shadow, so that no request is denied");
    assertThat(
            warnings(
                "{mode: shadow, rules: [{name: r, limit_keys: [], rate: 1/s, manual: true},"
                    + " {name: s, limit_keys: [], rate: 1/s}]}",
                false))
        .containsExactly(
            "all listeners: the policy has mode: shadow, so that no request is denied");
    assertThat(
            warnings(
                "{rules: [{name: r, limit_keys: [], rate: 1/s, manual: true},"
                    + " {name: s, limit_keys: [], rate: 1/s, mode: shadow}]}",
                false))
        .containsExactly(
            "all listeners: every rule is manual or has mode: shadow, so that only applications"
                + " deny requests");
  }

  @Test
  void onlyManualRules_areReported() {
    assertThat(ofRule("limit_keys: [], manual: true"))
        .containsExactly(
            "all listeners: every rule is manual, so that the decision service, the proxy and the"
                + " Spring filters limit no request; only applications evaluate manual rules");
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
