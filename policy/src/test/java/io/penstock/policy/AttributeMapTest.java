package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.http.HttpRequest;
import io.penstock.policy.http.RequestLine;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.JwtVerifier;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttributeMapTest {
  private static final String POLICY =
      """
      attributes: {user_id: 'header:x-user|query:user', plan: 'header:x-plan', tenant: caller}
      rules:
        - {name: pro, limit_keys: [user_id], match: {plan: pro}, rate: 1/h, burst: 2}
        - {name: all, limit_keys: [user_id|ip:address], rate: 1/h, burst: 1, group: g}
      """;

  private static Policy policy(String yaml) {
    return PolicyLoader.parse(yaml, "p.yaml").policy();
  }

  private static PolicyEngine engine() {
    return new PolicyEngine(InProcessStore.create(), policy(POLICY));
  }

  /** A request as the proxy and forward-auth receive it. */
  private static HttpRequest http(String target, Map<String, String> headers) {
    return new HttpRequest(
        null, RequestLine.of("GET", target, "a"), headers::get, new JwtVerifier(JwtSettings.NONE));
  }

  private static String keys(Verdict verdict) {
    return verdict.outcomes().stream()
        .map(outcome -> outcome.rule().name() + " " + outcome.key().replaceFirst("#.*", "#"))
        .toList()
        .toString();
  }

  @Test
  void mappedName_ofAnHttpRequest_comesFromTheFirstSource() {
    assertThat(keys(engine().decide(http("/?user=7", Map.of("x-user", "8", "x-plan", "pro")))))
        .isEqualTo("[pro header:x-user=#, all header:x-user=#]");
    assertThat(keys(engine().decide(http("/?user=7", Map.of())))).isEqualTo("[all query:user=#]");
  }

  @Test
  void mappedName_suppliedByTheCaller_winsOverItsSources() {
    ExplicitRequest request =
        ExplicitRequest.builder()
            .attribute("user_id", "42")
            .attribute("plan", "pro")
            .header("x-user", "8")
            .header("x-plan", "free")
            .build();
    assertThat(keys(engine().decide(request))).isEqualTo("[pro user_id=42, all user_id=42]");
  }

  @Test
  void values_ofDifferentSources_doNotShareABucket() {
    PolicyEngine engine = engine();
    assertThat(engine.decide(http("/", Map.of("x-user", "7"))).allowed()).isTrue();
    assertThat(engine.decide(http("/", Map.of("x-user", "7"))).allowed()).isFalse();
    assertThat(engine.decide(http("/?user=7", Map.of())).allowed()).isTrue();
  }

  @Test
  void expand_again_changesNothing() {
    Policy policy = policy(POLICY);
    assertThat(policy.withRules(policy.rules())).isEqualTo(policy);
    assertThat(policy.rules().get(0).limitKeys()).hasToString("[user_id|header:x-user|query:user]");
  }

  @Test
  void exemption_onAMappedName_appliesByItsSource() {
    PolicyEngine engine =
        new PolicyEngine(
            InProcessStore.create(),
            policy(
                """
                attributes: {plan: 'header:x-plan'}
                exempt: [{match: {plan: staff}}]
                rules: [{name: all, limit_keys: [], rate: 1/h}]
                """));
    assertThat(engine.decide(http("/", Map.of("x-plan", "staff"))).outcomes()).isEmpty();
    assertThat(engine.decide(http("/", Map.of())).outcomes()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "user: ip:address, 'must be caller, or one or more of header:…, query:…, cookie:… and jwt:…,"
        + " separated by |: ip:address'",
    "user: id, 'must be caller, or one or more of'",
    "user: 'header:', the name of an attribute must have 1 to 64 characters",
    "path: header:x, 'must be a bare name, not a built-in one: path'",
    "jwt:sub: header:x, 'must be a bare name, not a built-in one: jwt:sub'",
    "user: [caller], must be a single value",
  })
  void declaration_invalid_isAnError(String declaration, String message) {
    assertThatThrownBy(
            () ->
                policy(
                    "attributes:\n  "
                        + declaration
                        + "\nrules: [{name: all, limit_keys: [], rate: 1/h}]"))
        .isInstanceOf(PolicyException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("p.yaml:2:");
  }
}
