package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Explanation;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Explanations as JSON and as text. */
class ExplainJsonTest {
  private static final String TIERS =
      """
      rules:
        - {name: pro, limit_keys: [user_id], match: {plan: pro}, rate: 100/s, burst: 500}
        - {name: free, limit_keys: [user_id], rate: 10/s, burst: 20}
        - {name: tried, limit_keys: [], rate: 1/s, burst: 1.5, mode: shadow}
      """;

  private static final ExplicitRequest FREE =
      ExplicitRequest.builder().attribute("user_id", "u").build();

  private static Explanation explain(String policy, ExplicitRequest request, int before) {
    InProcessStore store = InProcessStore.builder().clock(new ManualClock()).build();
    try (PolicyEngine engine =
        new PolicyEngine(store, PolicyLoader.parse(policy, "p.yaml").policy())) {
      for (int i = 0; i < before; i++) {
        engine.decide(request);
      }
      return engine.explain(request).toCompletableFuture().join();
    }
  }

  private static JsonNode json(Explanation explanation) throws IOException {
    return new ObjectMapper().readTree(ExplainJson.bytes(explanation));
  }

  @Test
  void bytes_tiersAndShadow_sayAllOfEach() throws IOException {
    Explanation explanation = explain(TIERS, FREE, 1);

    String limit =
        "\"reason\":null,\"limit\":20,\"remaining\":18,\"retry_after_ms\":0,\"reset_after_ms\":200,"
            + "\"delay_ms\":0,\"degraded\":false}";
    assertThat(new String(ExplainJson.bytes(explanation), StandardCharsets.UTF_8))
        .startsWith(
            "{\"rules\":[{\"rule\":\"pro\",\"applies\":false,"
                + "\"why\":\"plan is missing, not pro\"},"
                + "{\"rule\":\"free\",\"applies\":true,\"why\":\"matches\",\"mode\":\"enforce\","
                + "\"key\":\"user_id=u\",\"cost\":1,\"consistency\":\"exact\",\"leased\":false,"
                + "\"levels\":[{\"limit\":20,\"before\":19,\"after\":18}],"
                + "\"outcome\":{\"rule\":\"free\",\"mode\":\"enforce\",\"cost\":1,\"allowed\":true,"
                + limit
                + "},{\"rule\":\"tried\"");
    JsonNode verdict = json(explanation).get("verdict");
    assertThat(verdict)
        .isEqualTo(new ObjectMapper().readTree(CheckJson.bytes(explanation.verdict())));
    assertThat(verdict.get("rule").textValue()).isEqualTo("free");
    JsonNode tried = json(explanation).get("rules").get(2);
    assertThat(tried.get("mode").textValue()).isEqualTo("shadow");
    assertThat(tried.get("key").textValue()).isEmpty();
    assertThat(tried.get("levels").toString())
        .isEqualTo("[{\"limit\":1.5,\"before\":0.5,\"after\":0.5}]");
    assertThat(tried.get("outcome").get("allowed").booleanValue()).isFalse();
  }

  @Test
  void bytes_notAsked_haveNoOutcome() throws IOException {
    JsonNode tried = json(explain(TIERS, FREE, 20)).get("rules").get(2);

    assertThat(tried.get("applies").booleanValue()).isTrue();
    assertThat(tried.get("outcome").isNull()).isTrue();
    assertThat(tried.get("levels").toString())
        .isEqualTo("[{\"limit\":1.5,\"before\":0.5,\"after\":null}]");
  }

  @Test
  void lines_allowed_sayHowEachRuleStands() {
    assertThat(ExplainText.lines(explain(TIERS, FREE, 1)))
        .containsExactly(
            "pro does not apply: plan is missing, not pro",
            "free applies: matches",
            "    enforce, key user_id=u, cost 1",
            "    19 of 20 before, 18 after",
            "    allowed",
            "tried applies: matches, in shadow mode",
            "    shadow, one bucket for all requests, cost 1",
            "    0.5 of 1.5 before, 0.5 after",
            "    denied (token_bucket_exceeded), retry in 500 ms",
            "verdict: allowed by free, 18 of 20 left, full in 200 ms");
  }

  @Test
  void lines_denied_sayWhenToPass() {
    assertThat(ExplainText.lines(explain(TIERS, FREE, 20)))
        .containsSubsequence(
            "    0 of 20 before, 0 after",
            "    denied (token_bucket_exceeded), retry in 100 ms",
            "    0.5 of 1.5 before",
            "    not evaluated",
            "verdict: denied by free (token_bucket_exceeded), retry in 100 ms");
  }

  @Test
  void lines_severalLimits_haveALineEach() {
    String policy =
        "{name: r, limit_keys: [], limits: [{rate: 10/s, burst: 10}, {rate: 60/min, burst: 4}]}";

    assertThat(ExplainText.lines(explain(policy, FREE, 1)))
        .contains("    9 of 10 before, 8 after", "    3 of 4 before, 2 after");
  }

  @Test
  void lines_never_saySo() {
    ExplicitRequest dear = ExplicitRequest.builder().costThousandths(3_000).build();

    assertThat(ExplainText.lines(explain("{name: r, limit_keys: [], rate: 2/s}", dear, 0)))
        .contains("verdict: denied by r (cost_above_burst), can never pass");
  }

  @Test
  void lines_rejectedPath_areADenial() throws IOException {
    String policy = "{rules: [{name: r, limit_keys: [], match: {path: /login}, rate: 2/s}]}";
    ExplicitRequest request = ExplicitRequest.builder().path("/%2Flogin").build();
    Explanation explanation = explain(policy, request, 0);

    assertThat(ExplainText.lines(explanation))
        .containsExactly(
            "r does not apply: the path is rejected",
            "verdict: denied (path_rejected), can never pass");
    assertThat(json(explanation).get("verdict").get("reason").textValue())
        .isEqualTo("path_rejected");
  }

  @Test
  void missingKey_showsNoBucket() throws IOException {
    String policy = "{name: r, limit_keys: [user_id], rate: 2/s, on_missing_key: deny}";
    Explanation explanation = explain(policy, ExplicitRequest.builder().build(), 0);

    JsonNode rule = json(explanation).get("rules").get(0);
    assertThat(rule.get("key").isNull()).isTrue();
    assertThat(rule.get("levels")).isEmpty();
    assertThat(rule.get("outcome").get("reason").textValue()).isEqualTo("missing_key");
    assertThat(ExplainText.lines(explanation))
        .containsExactly(
            "r applies: matches, and denies because user_id is missing",
            "    enforce, cost 1",
            "    denied (missing_key), can never pass",
            "verdict: denied by r (missing_key), can never pass");
  }

  @Test
  void lines_delayed_sayForHowLong() {
    String policy = "{name: r, limit_keys: [], rate: 2/s, burst: 1, on_limit: delay}";

    assertThat(ExplainText.lines(explain(policy, FREE, 1)))
        .contains(
            "    allowed after a delay of 500 ms",
            "verdict: allowed by r after a delay of 500 ms, 0 of 1 left, full in 1000 ms");
  }

  @Test
  void lines_leasedRule_sayWhetherThisNodeHoldsAny() {
    String policy = "{name: r, limit_keys: [], rate: 2/s, consistency: leased}";

    assertThat(ExplainText.lines(explain(policy, FREE, 0)))
        .contains(
            "    enforce, one bucket for all requests, cost 1, consistency leased, not leased"
                + " here");
  }

  @Test
  void lines_nothingBinds_saySo() {
    String policy = "{name: r, limit_keys: [], rate: 2/s, mode: shadow}";

    assertThat(ExplainText.lines(explain(policy, FREE, 0)))
        .endsWith("verdict: allowed, no rule is enforced");
  }
}
