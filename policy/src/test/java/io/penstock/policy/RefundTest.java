package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RefundTest {
  private static final String POLICY =
      """
      rules:
        - name: user
          limit_keys: [user_id]
          limits:
            - {rate: 1/h, burst: 4}
            - {rate: 2/h, burst: 9}
          cost_source: weight
          refund_on_upstream_error: true
        - name: all
          limit_keys: []
          rate: 1/h
          burst: 5
        - name: window
          limit_keys: [tenant]
          algorithm: fixed_window
          limit: 5
          window: 1h
        - name: shadow
          limit_keys: [path]
          mode: shadow
          rate: 1/h
          burst: 3
          refund_on_upstream_error: true
      """;
  private static final Request REQUEST =
      ExplicitRequest.builder()
          .path("/a")
          .attribute("user_id", "a")
          .attribute("tenant", "t")
          .attribute("weight", "2.5")
          .build();

  private final PolicyEngine engine =
      new PolicyEngine(InProcessStore.builder().clock(new ManualClock()).build(), policy(POLICY));

  private static Policy policy(String text) {
    return PolicyLoader.parse(text, "policy.yaml").policy();
  }

  @Test
  void giveBack_someRules_getExactlyWhatTheyTook() {
    Verdict verdict = engine.decide(REQUEST);
    assertThat(remaining("user")).containsExactly(1_500L, 6_500L);
    refund(verdict);

    assertThat(remaining("user")).containsExactly(4_000L, 9_000L);
    assertThat(remaining("shadow")).containsExactly(3_000L);
    assertThat(remaining("all")).containsExactly(4_000L);
  }

  @Test
  void giveBack_allRules_leavesWindowsAsTheyAre() {
    Verdict verdict = engine.decide(REQUEST);
    engine.refund(verdict, rule -> true).toCompletableFuture().join();

    assertThat(remaining("all")).containsExactly(5_000L);
    assertThat(remaining("window")).containsExactly(4_000L);
  }

  @Test
  void giveBack_denied_changesNothing() {
    engine.decide(REQUEST);
    Verdict denied = engine.decide(REQUEST);
    assertThat(denied.allowed()).isFalse();
    refund(denied);

    assertThat(remaining("user")).containsExactly(1_500L, 6_500L);
  }

  @Test
  void giveBack_enforcedAsShadowInAnEmergency_findsTheBucketsThatWereCharged() {
    engine.override(Mode.SHADOW);
    Verdict verdict = engine.decide(REQUEST);
    engine.override(null);
    assertThat(remaining("user")).containsExactly(1_500L, 6_500L);
    refund(verdict);

    assertThat(remaining("user")).containsExactly(4_000L, 9_000L);
  }

  @Test
  void giveBack_afterAReload_onlyIfTheRuleIsTheSame() {
    Verdict first = engine.decide(REQUEST);
    engine.replace(policy(POLICY));
    refund(first);
    assertThat(remaining("user")).containsExactly(4_000L, 9_000L);

    Verdict second = engine.decide(REQUEST);
    engine.replace(policy(POLICY.replace("burst: 4", "burst: 5")));
    refund(second);
    assertThat(remaining("user")).containsExactly(2_500L, 6_500L);
  }

  private void refund(Verdict verdict) {
    engine.refund(verdict, Rule::refundOnUpstreamError).toCompletableFuture().join();
  }

  private List<Long> remaining(String rule) {
    return engine.buckets(rule, REQUEST).orElseThrow().peek().toCompletableFuture().join().stream()
        .map(Decision::remainingThousandths)
        .toList();
  }
}
