package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.TokenBucket;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class KeyOverrideTest {
  private static final String POLICY =
      """
      rules:
        - {name: user, limit_keys: [user_id], rate: 1/h, burst: 2, refund_on_upstream_error: true}
        - name: pair
          limit_keys: [pair]
          limits: [{rate: 1/h, burst: 4}, {rate: 2/s, burst: 2}]
        - {name: hour, limit_keys: [tenant], algorithm: fixed_window, limit: 2, window: 1h}
        - {name: all, limit_keys: [], match: {path: /all}, rate: 1/h, burst: 1}
      """;
  private static final TokenBucket LARGE = bucket(10);
  private static final TokenBucket SMALL = bucket(1);

  private final PolicyEngine engine =
      new PolicyEngine(InProcessStore.builder().clock(new ManualClock()).build(), policy(POLICY));

  private static Policy policy(String text) {
    return PolicyLoader.parse(text, "policy.yaml").policy();
  }

  private static TokenBucket bucket(long burst) {
    return Limit.perHour(1).burst((double) burst);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private static Request with(String attribute, String value) {
    return ExplicitRequest.builder().path("/").attribute(attribute, value).build();
  }

  private int allowedOf(int requests, Request request) {
    int allowed = 0;
    for (int i = 0; i < requests; i++) {
      allowed += engine.decide(request).allowed() ? 1 : 0;
    }
    return allowed;
  }

  @Test
  void override_oneKey_changesOnlyThatKey() {
    engine.override(new RuleKey("user", "user_id=a"), LARGE);
    assertThat(allowedOf(20, with("user_id", "a"))).isEqualTo(10);
    assertThat(allowedOf(20, with("user_id", "b"))).isEqualTo(2);
  }

  @Test
  void override_ended_keepsWhatWasConsumed() {
    engine.override(new RuleKey("user", "user_id=a"), LARGE);
    assertThat(allowedOf(1, with("user_id", "a"))).isEqualTo(1);
    engine.override(new RuleKey("user", "user_id=a"), null);
    assertThat(allowedOf(5, with("user_id", "a"))).isEqualTo(1);
  }

  @Test
  void override_smallerThanTheDebt_forgivesNothingOnceEnded() {
    assertThat(allowedOf(2, with("user_id", "a"))).isEqualTo(2);
    engine.override(new RuleKey("user", "user_id=a"), SMALL);
    assertThat(allowedOf(1, with("user_id", "a"))).isZero();
    engine.override(new RuleKey("user", "user_id=a"), null);
    assertThat(allowedOf(1, with("user_id", "a"))).isZero();
  }

  @Test
  void override_changed_hasTheLastLimit() {
    engine.override(new RuleKey("user", "user_id=a"), LARGE);
    engine.override(new RuleKey("user", "user_id=a"), bucket(5));
    assertThat(allowedOf(20, with("user_id", "a"))).isEqualTo(5);
  }

  @Test
  void override_policyReplaced_staysInEffect() {
    engine.override(new RuleKey("user", "user_id=a"), LARGE);
    engine.replace(policy(POLICY.replace("burst: 2, refund", "burst: 3, refund")));
    assertThat(allowedOf(20, with("user_id", "a"))).isEqualTo(10);
    assertThat(allowedOf(20, with("user_id", "b"))).isEqualTo(3);
    engine.override(new RuleKey("user", "user_id=a"), null);
    engine.replace(policy(POLICY));
    assertThat(allowedOf(20, with("user_id", "a"))).isZero();
  }

  @Test
  void override_ruleRemovedAndAddedAgain_isInEffectAgain() {
    engine.override(new RuleKey("user", "user_id=a"), LARGE);
    engine.replace(policy("{name: other, limit_keys: [], rate: 1000/s, burst: 1000}"));
    assertThat(allowedOf(20, with("user_id", "a"))).isEqualTo(20);
    engine.replace(policy(POLICY));
    assertThat(allowedOf(20, with("user_id", "a"))).isEqualTo(10);
  }

  @Test
  void override_ruleOfSeveralLimits_replacesAll() {
    engine.override(new RuleKey("pair", "pair=a"), LARGE);
    assertThat(allowedOf(20, with("pair", "a"))).isEqualTo(10);
  }

  @Test
  void override_window_replacesIt() {
    engine.override(new RuleKey("hour", "tenant=a"), LARGE);
    assertThat(allowedOf(20, with("tenant", "a"))).isEqualTo(10);
    assertThat(allowedOf(20, with("tenant", "b"))).isEqualTo(2);
  }

  @Test
  void override_ruleWithoutKeys_appliesToAllRequests() {
    engine.override(new RuleKey("all", ""), LARGE);
    assertThat(allowedOf(20, ExplicitRequest.builder().path("/all").build())).isEqualTo(10);
  }

  @Test
  void buckets_overriddenKey_haveItsLimit() {
    engine.override(new RuleKey("user", "user_id=a"), LARGE);
    engine.decide(with("user_id", "a"));
    RuleBuckets buckets = engine.buckets("user", with("user_id", "a")).orElseThrow();
    assertThat(remaining(buckets)).containsExactly(9_000L);
    assertThat(buckets.rule().limits()).isEqualTo(List.of(LARGE));
  }

  @Test
  void refund_overriddenKey_givesBack() {
    engine.override(new RuleKey("user", "user_id=a"), LARGE);
    Verdict verdict = engine.decide(with("user_id", "a"));
    engine.refund(verdict, rule -> true).toCompletableFuture().join();
    assertThat(remaining(engine.buckets("user", with("user_id", "a")).orElseThrow()))
        .containsExactly(10_000L);
  }

  @Test
  void explain_overriddenKey_saysSoAndHasTheOutcome() {
    engine.override(new RuleKey("user", "user_id=a"), LARGE);
    Explanation.Finding finding =
        engine.explain(with("user_id", "a")).toCompletableFuture().join().findings().stream()
            .filter(each -> each.rule().name().equals("user"))
            .findAny()
            .orElseThrow();
    assertThat(finding.why()).isEqualTo("matches, and the limit of this key is overridden");
    assertThat(finding.outcome()).isNotNull();
  }

  private static List<Long> remaining(RuleBuckets buckets) {
    return buckets.peek().toCompletableFuture().join().stream()
        .map(Decision::remainingThousandths)
        .toList();
  }
}
