package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.Decision;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RuleBucketsTest {
  private static final String POLICY =
      """
      rules:
        - name: pro
          limit_keys: [user_id]
          match: {plan: pro}
          rate: 1/h
          burst: 10
        - name: free
          limit_keys: [user_id]
          limits:
            - {rate: 1/h, burst: 4}
            - {rate: 2/s, burst: 2}
        - name: shadow
          limit_keys: []
          mode: shadow
          rate: 1/h
          burst: 3
      """;
  private static final Request FREE = ExplicitRequest.builder().attribute("user_id", "a").build();
  private static final Request PRO =
      ExplicitRequest.builder().attribute("user_id", "a").attribute("plan", "pro").build();

  private final PolicyEngine engine =
      new PolicyEngine(
          InProcessStore.builder().clock(new ManualClock()).build(),
          PolicyLoader.parse(POLICY, "policy.yaml").policy());

  @Test
  void peek_ruleOfSeveralLimits_hasALevelForEach() {
    engine.decide(FREE);
    assertThat(remaining("free")).containsExactly(3_000L, 1_000L);
  }

  @Test
  void peek_otherTierOfTheGroup_seesWhatWasConsumed() {
    engine.decide(PRO);
    assertThat(remaining("pro")).containsExactly(9_000L);
    assertThat(remaining("free")).startsWith(3_000L);
  }

  @Test
  void reset_afterUse_isFull() {
    engine.decide(FREE);
    engine.buckets("free", FREE).orElseThrow().reset().toCompletableFuture().join();
    assertThat(remaining("free")).containsExactly(4_000L, 2_000L);
  }

  @Test
  void grant_afterUse_goesToEachLimitAndNeverAboveFull() {
    engine.decide(FREE);
    engine.decide(FREE);
    engine.buckets("free", FREE).orElseThrow().grant(1_000).toCompletableFuture().join();
    assertThat(remaining("free")).containsExactly(3_000L, 1_000L);
    engine.buckets("free", FREE).orElseThrow().grant(50_000).toCompletableFuture().join();
    assertThat(remaining("free")).containsExactly(4_000L, 2_000L);
  }

  @Test
  void peek_shadowRule_looksAtItsOwnBuckets() {
    engine.decide(FREE);
    assertThat(remaining("shadow")).containsExactly(2_000L);
  }

  @Test
  void buckets_unknownRule_areNone() {
    assertThat(engine.buckets("none", FREE)).isEmpty();
  }

  @Test
  void buckets_keyWithoutAPart_areRefused() {
    Request anonymous = ExplicitRequest.builder().build();
    assertThatThrownBy(() -> engine.buckets("free", anonymous))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("user_id");
  }

  private List<Long> remaining(String rule) {
    return engine.buckets(rule, FREE).orElseThrow().peek().toCompletableFuture().join().stream()
        .map(Decision::remainingThousandths)
        .toList();
  }
}
