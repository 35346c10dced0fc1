package io.penstock.policy.http;

import static io.penstock.policy.http.Limited.shadow;
import static io.penstock.policy.http.Limited.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.Limit;
import io.penstock.Reason;
import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CheckJsonTest {
  private static String text(Verdict verdict) {
    return new String(CheckJson.bytes(verdict), StandardCharsets.UTF_8);
  }

  private static JsonNode json(Verdict verdict) throws IOException {
    return new ObjectMapper().readTree(CheckJson.bytes(verdict));
  }

  @Test
  void bytes_noRuleApplies_haveNulls() {
    assertThat(text(Verdict.UNLIMITED))
        .isEqualTo(
            "{\"allowed\":true,\"rule\":null,\"reason\":null,\"limit\":null,\"remaining\":null,"
                + "\"retry_after_ms\":0,\"reset_after_ms\":0,\"delay_ms\":0,\"degraded\":false,"
                + "\"limits\":[]}");
  }

  @Test
  void bytes_allowed_haveAllFieldsInOrder() {
    Limited org = new Limited("org", Limit.perSecond(3).burst(10.5));

    assertThat(text(verdict(org.take(1_250))))
        .isEqualTo(
            "{\"allowed\":true,\"rule\":\"org\",\"reason\":null,\"limit\":10.5,"
                + "\"remaining\":9.25,\"retry_after_ms\":0,\"reset_after_ms\":417,\"delay_ms\":0,"
                + "\"degraded\":false,\"limits\":[{\"rule\":\"org\",\"mode\":\"enforce\","
                + "\"cost\":1.25,\"allowed\":true,\"reason\":null,\"limit\":10.5,"
                + "\"remaining\":9.25,\"retry_after_ms\":0,\"reset_after_ms\":417,\"delay_ms\":0,"
                + "\"degraded\":false}]}");
  }

  @Test
  void bytes_denied_tellWhenAndWhy() throws IOException {
    Limited org = new Limited("org", Limit.perSecond(3).burst(1));
    org.take(1_000);

    JsonNode answer = json(verdict(org.take(1_000)));

    assertThat(answer.get("allowed").booleanValue()).isFalse();
    assertThat(answer.get("reason").textValue()).isEqualTo("token_bucket_exceeded");
    assertThat(answer.get("retry_after_ms").longValue()).isEqualTo(334);
    assertThat(answer.get("limits").get(0).get("retry_after_ms").longValue()).isEqualTo(334);
    assertThat(answer.get("limits").get(0).get("allowed").booleanValue()).isFalse();
  }

  @Test
  void bytes_never_haveNoTime() throws IOException {
    Limited org = new Limited("org", Limit.perSecond(1).burst(2));

    JsonNode answer = json(verdict(org.take(3_000)));

    assertThat(answer.get("retry_after_ms").isNull()).isTrue();
    assertThat(answer.get("reason").textValue()).isEqualTo("cost_above_burst");
    assertThat(answer.get("limits").get(0).get("retry_after_ms").isNull()).isTrue();
  }

  @Test
  void bytes_delayed_sayForHowLong() throws IOException {
    Limited queue = new Limited("queue", Limit.perSecond(3).burst(1));
    queue.take(1_000, Duration.ofSeconds(5));

    JsonNode answer = json(verdict(queue.take(1_000, Duration.ofSeconds(5))));

    assertThat(answer.get("allowed").booleanValue()).isTrue();
    assertThat(answer.get("delay_ms").longValue()).isEqualTo(334);
    assertThat(answer.get("retry_after_ms").longValue()).isZero();
    assertThat(answer.get("limits").get(0).get("delay_ms").longValue()).isEqualTo(334);
  }

  /**
   * Both buckets are empty, so the first is decisive, but the request still has to wait for the
   * other.
   */
  @Test
  void bytes_delayedByTwoRules_sayTheLonger() throws IOException {
    Limited fast = new Limited("fast", Limit.perSecond(10).burst(1));
    Limited slow = new Limited("slow", Limit.perSecond(1).burst(1));
    Duration patience = Duration.ofSeconds(5);
    fast.take(1_000, patience);
    slow.take(1_000, patience);

    JsonNode answer = json(verdict(fast.take(1_000, patience), slow.take(1_000, patience)));

    assertThat(answer.get("rule").textValue()).isEqualTo("fast");
    assertThat(answer.get("delay_ms").longValue()).isEqualTo(1_000);
  }

  @Test
  void bytes_delayOfAShadow_holdsNobodyBack() throws IOException {
    Limited queue = new Limited("queue", Limit.perSecond(1).burst(1));
    Limited org = new Limited("org", Limit.perSecond(1).burst(1));
    queue.take(1_000, Duration.ofSeconds(5));

    Outcome delayed = queue.take(1_000, Duration.ofSeconds(5));
    JsonNode answer = json(verdict(org.take(1_000), shadow(delayed)));

    assertThat(answer.get("delay_ms").longValue()).isZero();
    assertThat(answer.get("limits").get(1).get("delay_ms").longValue()).isEqualTo(1_000);
  }

  @Test
  void bytes_deniedBesideADelay_areNotDelayed() throws IOException {
    Limited queue = new Limited("queue", Limit.perSecond(1).burst(1));
    Limited org = new Limited("org", Limit.perSecond(1).burst(1));
    queue.take(1_000, Duration.ofSeconds(5));
    org.take(1_000);

    JsonNode answer = json(verdict(queue.take(1_000, Duration.ofSeconds(5)), org.take(1_000)));

    assertThat(answer.get("rule").textValue()).isEqualTo("org");
    assertThat(answer.get("delay_ms").longValue()).isZero();
  }

  @Test
  void bytes_degraded_sayWhy() throws IOException {
    Limited org = new Limited("org", Limit.perSecond(1));
    Outcome open = org.outcome(1_000, org.take(0).decision().asDegraded(Reason.STORE_UNAVAILABLE));

    JsonNode answer = json(verdict(open));

    assertThat(answer.get("allowed").booleanValue()).isTrue();
    assertThat(answer.get("degraded").booleanValue()).isTrue();
    assertThat(answer.get("reason").textValue()).isEqualTo("store_unavailable");
    assertThat(answer.get("limits").get(0).get("degraded").booleanValue()).isTrue();
  }

  @Test
  void bytes_closed_sayWhenToComeBack() throws IOException {
    JsonNode answer = json(verdict(Limited.closed("pay", Limit.perSecond(1), 1_000_000_000)));

    assertThat(answer.get("allowed").booleanValue()).isFalse();
    assertThat(answer.get("retry_after_ms").longValue()).isEqualTo(1_000);
    assertThat(answer.get("degraded").booleanValue()).isTrue();
  }

  @Test
  void bytes_onlyShadows_listThemAndNameNoRule() throws IOException {
    Limited tried = new Limited("tried", Limit.perSecond(1));
    tried.take(1_000);

    JsonNode answer = json(verdict(shadow(tried.take(1_000))));

    assertThat(answer.get("allowed").booleanValue()).isTrue();
    assertThat(answer.get("rule").isNull()).isTrue();
    assertThat(answer.get("limits").get(0).get("mode").textValue()).isEqualTo("shadow");
    assertThat(answer.get("limits").get(0).get("allowed").booleanValue()).isFalse();
  }

  @Test
  void bytes_smallAndLargeAmounts_arePlainDecimals() {
    Limited large = new Limited("large", Limit.perSecond(1_000_000_000).burst(1_000_000_000));
    Limited small = new Limited("small", Limit.perSecond(0.001).burst(0.001));

    assertThat(text(verdict(large.take(1)))).contains("\"limit\":1000000000,");
    assertThat(text(verdict(large.take(0)))).contains("\"cost\":0,");
    assertThat(text(verdict(small.take(1))))
        .contains("\"cost\":0.001,", "\"limit\":0.001,", "\"remaining\":0,");
    assertThat(text(verdict(large.take(100)))).contains("\"cost\":0.1,");
  }
}
