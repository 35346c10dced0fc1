package io.penstock.policy.http;

import static io.penstock.policy.http.Limited.shadow;
import static io.penstock.policy.http.Limited.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Reason;
import io.penstock.policy.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProblemDetailsTest {
  private static final String TYPES = "https://iana.org/assignments/http-problem-types#";
  private static final VerdictResponses ANSWERS =
      new VerdictResponses(HeaderFormat.ALL, Jitter.DEFAULT);

  private static JsonNode problem(Verdict verdict) throws IOException {
    Map<String, String> headers = new HashMap<>();
    HttpAnswer answer = ANSWERS.deny(verdict, headers::put);
    assertThat(headers).containsEntry("Content-Type", "application/problem+json");
    JsonNode body = new ObjectMapper().readTree(answer.body());
    assertThat(body.get("status").intValue()).isEqualTo(answer.status());
    return body;
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(element -> texts.add(element.textValue()));
    return texts;
  }

  @Test
  void body_usedUp_isQuotaExceededByteForByte() {
    Limited org = new Limited("per-org-rps", Limit.perSecond(3).burst(1));
    org.take(1_000);

    HttpAnswer answer = ANSWERS.deny(verdict(org.take(1_000)), (name, value) -> {});

    assertThat(new String(answer.body(), StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Quota Exceeded\","
                + "\"status\":429,"
                + "\"detail\":\"Rule per-org-rps allows no more requests at the moment.\","
                + "\"violated-policies\":[\"per-org-rps\"],"
                + "\"reason\":\"token_bucket_exceeded\","
                + "\"retry_after_ms\":334}");
  }

  /** The constant part of a problem is cached, so that of another reason or status must not be. */
  @Test
  void body_cachedProblem_equalsANewOne() throws IOException {
    Limited org = new Limited("per \"org\" é", Limit.perSecond(3).burst(1));
    org.take(1_000);
    Verdict costly = verdict(org.take(2_000));
    for (int i = 0; i < 3; i++) {
      Verdict usedUp = verdict(org.take(1_000));
      byte[] created =
          ProblemDetails.bytes(429, usedUp.decisive().orElseThrow(), usedUp.outcomes());
      assertThat(ANSWERS.deny(usedUp, (name, value) -> {}).body()).isEqualTo(created);
      assertThat(problem(costly).get("reason").textValue()).isEqualTo("cost_above_burst");
      HttpAnswer chosen = ANSWERS.deny(usedUp, 403, (name, value) -> {});
      assertThat(chosen.status()).isEqualTo(403);
      assertThat(new ObjectMapper().readTree(chosen.body()).get("status").intValue())
          .isEqualTo(403);
      org.clock.advanceNanos(50_000_000);
    }
  }

  @Test
  void body_severalDenied_listsEveryEnforcingOne() throws IOException {
    Limited first = new Limited("first", Limit.perSecond(1));
    Limited second = new Limited("second", Limit.fixedWindow(1, Duration.ofMinutes(1)));
    Limited roomy = new Limited("roomy", Limit.perSecond(100));
    Limited tried = new Limited("tried", Limit.perSecond(1));
    first.take(1_000);
    second.take(1_000);
    tried.take(1_000);

    JsonNode body =
        problem(
            verdict(
                first.take(1_000), roomy.take(0), second.take(1_000), shadow(tried.take(1_000))));

    assertThat(texts(body.get("violated-policies"))).containsExactly("first", "second");
    assertThat(body.get("reason").textValue()).isEqualTo("fixed_window_exceeded");
    assertThat(body.get("retry_after_ms").longValue()).isEqualTo(60_000);
    assertThat(body.get("detail").textValue()).contains("second");
  }

  @Test
  void body_costAboveBurst_saysBothAndNoTime() throws IOException {
    Limited org = new Limited("org", Limit.perSecond(1).burst(2.5));

    JsonNode body = problem(verdict(org.take(3_000)));

    assertThat(body.get("type").textValue()).isEqualTo(TYPES + "quota-exceeded");
    assertThat(body.get("detail").textValue())
        .isEqualTo("The request costs 3, and rule org never allows more than 2.5.");
    assertThat(body.get("retry_after_ms").isNull()).isTrue();
    assertThat(body.get("reason").textValue()).isEqualTo("cost_above_burst");
  }

  @Test
  void body_missingKey_isReported() throws IOException {
    Limited org = new Limited("org", Limit.perSecond(1));

    JsonNode body =
        problem(
            verdict(
                org.outcome(1_000, Decision.deny("org", org.limiter.limit(), Reason.MISSING_KEY))));

    assertThat(body.get("type").textValue()).isEqualTo(TYPES + "quota-exceeded");
    assertThat(body.get("reason").textValue()).isEqualTo("missing_key");
    assertThat(body.get("detail").textValue()).contains("lacks").contains("org");
    assertThat(body.get("retry_after_ms").isNull()).isTrue();
  }

  @Test
  void body_closedWithoutAStore_isReducedCapacity() throws IOException {
    JsonNode body = problem(verdict(Limited.closed("pay", Limit.perSecond(1), 0)));

    assertThat(body.get("type").textValue()).isEqualTo(TYPES + "temporary-reduced-capacity");
    assertThat(body.get("title").textValue()).isEqualTo("Temporary Reduced Capacity");
    assertThat(body.get("status").intValue()).isEqualTo(503);
    assertThat(texts(body.get("violated-policies"))).containsExactly("pay");
    assertThat(body.get("reason").textValue()).isEqualTo("store_unavailable");
  }

  @Test
  void body_oddRuleName_survives() throws IOException {
    String name = "a\"b\\c\u0001é";
    Limited odd = new Limited(name, Limit.perSecond(1));

    JsonNode body = problem(verdict(odd.take(2_000)));

    assertThat(texts(body.get("violated-policies"))).containsExactly(name);
  }
}
