package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Outcome;
import io.penstock.policy.Traffic;
import io.penstock.policy.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The calculated examples in the documentation. */
class DocumentedExamplesTest {
  private static Traffic traffic(String page, String example) {
    return new Traffic(DocumentedPolicies.example(page, example).policy());
  }

  private static Traffic choosing(String example) {
    return traffic("choosing-limits.md", example);
  }

  private static ExplicitRequest.Builder user(String id) {
    return ExplicitRequest.builder()
        .ip("192.0.2.1")
        .path("/")
        .method("GET")
        .attribute("user_id", id);
  }

  private static Decision decision(Verdict verdict) {
    return verdict.decisive().map(Outcome::decision).orElseThrow();
  }

  @Test
  void twoKnobs_areAsTheTableSays() {
    Traffic traffic = choosing("two-knobs");

    assertThat(traffic.passing(20, user("1"))).isEqualTo(20);
    assertThat(decision(traffic.send(user("1"))).retryAfter()).isEqualTo(Duration.ofMillis(200));
    traffic.passSeconds(1);
    assertThat(traffic.passing(6, user("1"))).isEqualTo(5);
    traffic.passSeconds(4);
    assertThat(traffic.passing(100, user("1"))).isEqualTo(20);
    traffic.pass(Duration.ofHours(10));
    assertThat(traffic.passing(100, user("1"))).isEqualTo(20);
  }

  @ParameterizedTest
  @CsvSource({"interactive, 50, 5", "steady, 10, 1", "batch, 100, 10"})
  void ratios_lastAsLongAsTheTableSays(String example, int burst, int seconds) {
    Traffic traffic = choosing(example);
    ExplicitRequest.Builder user = user("1").path("/import/x");

    assertThat(traffic.passing(1_000, user)).isEqualTo(burst);
    traffic.pass(Duration.ofHours(1));
    // 20 per second, one every 50 ms, until one is denied.
    int sent = 0;
    while (traffic.send(user).allowed()) {
      traffic.pass(Duration.ofMillis(50));
      sent++;
    }
    assertThat(sent / 20.0).isBetween(seconds - 0.1, seconds + 0.1);
  }

  @Test
  void batchOfAThousand_takesNinetySeconds() {
    Traffic traffic = choosing("batch");
    ExplicitRequest.Builder job = user("1").path("/import/x");
    int done = traffic.passing(1_000, job);
    int seconds = 0;
    for (; done < 1_000; seconds++) {
      traffic.passSeconds(1);
      done += traffic.passing(1_000 - done, job);
    }
    assertThat(seconds).isEqualTo(90);
  }

  @Test
  void costlyCalls_areAsThePageSays() {
    Traffic traffic = choosing("model");
    ExplicitRequest.Builder call =
        ExplicitRequest.builder().path("/v1/chat/x").attribute("tenant", "t");

    assertThat(decision(traffic.send(call.header("x-call-cost", "101"))).neverAllowed()).isTrue();
    ExplicitRequest.Builder usual =
        ExplicitRequest.builder().path("/v1/chat/x").attribute("tenant", "t");
    ExplicitRequest.Builder large =
        ExplicitRequest.builder()
            .path("/v1/chat/x")
            .attribute("tenant", "t")
            .header("x-call-cost", "60");
    assertThat(traffic.passing(1, large)).isOne();
    assertThat(traffic.passing(5, usual)).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"GET, /search, 100, 0.1", "POST, /login, 5, 12", "POST, /payment, 3, 60"})
  void endpoints_areAsTheTableSays(String method, String path, int burst, double seconds) {
    Traffic traffic = choosing("endpoints");
    ExplicitRequest.Builder request = user("1").method(method).path(path);

    assertThat(traffic.passing(200, request)).isEqualTo(burst);
    assertThat(decision(traffic.send(request)).retryAfter())
        .isEqualTo(Duration.ofMillis(Math.round(seconds * 1_000)));
  }

  @Test
  void loginsOfAnHour_areThreeHundredAndFive() {
    Traffic traffic = choosing("endpoints");
    ExplicitRequest.Builder login = user("1").method("POST").path("/login");
    int passed = traffic.passing(10, login);
    for (int i = 0; i < 3_600; i++) {
      traffic.passSeconds(1);
      passed += traffic.passing(10, login);
    }
    assertThat(passed).isEqualTo(305);
  }

  @Test
  void rollout_shadowChangesNoAnswer() {
    Traffic traffic = choosing("rollout");

    assertThat(traffic.rules(user("1"))).containsExactly("today", "tomorrow");
    assertThat(traffic.passing(600, user("1"))).isEqualTo(500);
    assertThat(traffic.rules(user("2"))).containsExactly("today", "tomorrow");
  }

  @ParameterizedTest
  @CsvSource({
    "7, acme, pro, /, acme global",
    "8, , pro, /, pro global",
    "9, , , /search, others search global",
    ", , , /search, others global"
  })
  void tiers_applyAsTheTableSays(String id, String tenant, String plan, String path, String rules) {
    ExplicitRequest.Builder request = ExplicitRequest.builder().ip("192.0.2.1").path(path);
    if (id != null) {
      request.attribute("user_id", id);
    }
    if (tenant != null) {
      request.attribute("tenant", tenant);
    }
    if (plan != null) {
      request.attribute("plan", plan);
    }
    assertThat(traffic("policy.md", "tiers").rules(request)).containsExactly(rules.split(" "));
  }

  @Test
  void tiers_shareTheirBucket() {
    Traffic traffic = traffic("policy.md", "tiers");

    assertThat(traffic.passing(50, user("8").attribute("plan", "pro"))).isEqualTo(50);
    assertThat(traffic.passing(1, user("8"))).isZero();
    traffic.passSeconds(0.1);
    assertThat(traffic.passing(20, user("8"))).isOne();
    traffic.passSeconds(1);
    assertThat(traffic.passing(20, user("8"))).isEqualTo(10);
  }

  @ParameterizedTest
  @CsvSource({"1200, 1200", "3, 10", ", 500", "many, 500", "20001, 20001"})
  void cost_isAsTheTableSays(String tokens, long cost) {
    ExplicitRequest.Builder request =
        ExplicitRequest.builder().path("/v1/chat/x").attribute("tenant", "t");
    if (tokens != null) {
      request.attribute("tokens", tokens);
    }
    Verdict verdict = traffic("policy.md", "cost").send(request);

    assertThat(verdict.decisive().orElseThrow().costThousandths()).isEqualTo(cost * 1_000);
    assertThat(decision(verdict).neverAllowed()).isEqualTo(cost > 20_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "rate: 1/h, burst: 10; rate: 2/h, burst: 10; true",
        "rate: 1/h, burst: 10; rate: 1/h, burst: 10, name: other; true",
        "rate: 1/h, burst: 10; rate: 1/h, burst: 10, match: {plan: pro}; true",
        "rate: 1/h, burst: 10; rate: 1/h, burst: 10, fixed_cost: 2; true",
        "rate: 1/h, burst: 10; rate: 1/h, burst: 10, on_store_failure: closed; true",
        "rate: 1/h, burst: 10; rate: 1/h, burst: 10, limit_keys: [plan]; false",
        "rate: 1/h, burst: 10; rate: 1/h, burst: 10, match: {path: /}; false",
        "rate: 1/h, burst: 10; rate: 1/h, burst: 10, match: {method: GET}; false",
        "rate: 1/h, burst: 10; rate: 1/h, burst: 10, group: g; false",
        "rate: 1/h, burst: 10; algorithm: fixed_window, limit: 10, window: 1h; false",
        "rate: 1/h, burst: 10, mode: shadow; rate: 1/h, burst: 10; false",
        "limits: [{rate: 1/h, burst: 10}, {rate: 1/h, burst: 90}];"
            + " limits: [{rate: 1/h, burst: 90}, {rate: 1/h, burst: 10}]; true",
        "rate: 1/h, burst: 10; limits: [{rate: 1/h, burst: 10}, {rate: 1/h, burst: 90}]; true"
      })
  void reload_keepsWhatTheTableSays(String before, String after, boolean kept) {
    Traffic traffic = new Traffic(Loading.policy(ruleOf(before)));
    ExplicitRequest.Builder request = user("1").attribute("plan", "pro");
    traffic.passing(10, request);

    traffic.engine().replace(Loading.policy(ruleOf(after)));

    assertThat(traffic.passing(1, request) == 0).isEqualTo(kept);
  }

  private static String ruleOf(String fields) {
    return "{"
        + fields
        + (fields.contains("name") ? "" : ", name: r")
        + (fields.contains("limit_keys") ? "" : ", limit_keys: [user_id]")
        + "}";
  }

  @Test
  void reload_modeOfThePolicy_keepsWhatShadowsCounted() {
    String rules = "rules: [{name: r, limit_keys: [], rate: 1/h, burst: 10}]\n";
    Traffic traffic = new Traffic(Loading.policy("mode: shadow\n" + rules));

    assertThat(traffic.passing(20, user("1"))).isEqualTo(20);
    traffic.engine().replace(Loading.policy(rules));
    assertThat(traffic.passing(1, user("1"))).isZero();
  }

  @Test
  void reload_anotherKeySecret_renamesPrivateKeysOnly() {
    for (String key : new String[] {"header:k", "user_id"}) {
      String rule = "rules: [{name: r, limit_keys: ['" + key + "'], rate: 1/h, burst: 10}]\n";
      Traffic traffic = new Traffic(Loading.policy("key_secret: a\n" + rule));
      ExplicitRequest.Builder request = user("1").header("k", "v");
      traffic.passing(10, request);
      traffic.engine().replace(Loading.policy("key_secret: b\n" + rule));

      assertThat(traffic.passing(1, request)).isEqualTo(key.equals("user_id") ? 0 : 1);
    }
  }
}
