package io.penstock.policy;

import static io.penstock.policy.Rules.rule;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.TokenBucket;
import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Replacing a policy keeps what was consumed. */
class PolicyEngineReloadTest {
  private static final TokenBucket TEN = Limit.perSecond(1).burst(10);
  private static final TokenBucket THOUSAND = Limit.perSecond(1).burst(1_000);

  private final ManualClock clock = new ManualClock();
  private final InProcessStore store = InProcessStore.builder().clock(clock).build();

  private static ExplicitRequest costing(long tokens) {
    return costing(tokens, "none");
  }

  private static ExplicitRequest costing(long tokens, String plan) {
    return ExplicitRequest.builder()
        .attribute("user_id", "u")
        .attribute("plan", plan)
        .costThousandths(tokens * 1_000)
        .build();
  }

  private static Rules user(String name) {
    return rule(name).by("user_id");
  }

  private static Policy of(Rules... rules) {
    Rule[] built = new Rule[rules.length];
    for (int i = 0; i < rules.length; i++) {
      built[i] = rules[i].build();
    }
    return Policy.of(built);
  }

  private static Decision only(Verdict verdict) {
    assertThat(verdict.outcomes()).hasSize(1);
    return verdict.outcomes().get(0).decision();
  }

  private PolicyEngine consumed(long tokens, Rules... before) {
    PolicyEngine engine = new PolicyEngine(store, of(before));
    assertThat(engine.decide(costing(tokens)).allowed()).isTrue();
    return engine;
  }

  @Test
  void replace_raised_addsOnlyTheDifference() {
    PolicyEngine engine = consumed(8, user("r").limits(TEN));
    engine.replace(of(user("r").limits(Limit.perSecond(1).burst(15))));
    assertThat(only(engine.decide(costing(0))).remaining()).isEqualTo(7);
  }

  @Test
  void replace_lowered_missesAtMostTheNewBurst() {
    PolicyEngine engine = consumed(900, user("r").limits(THOUSAND));
    engine.replace(of(user("r").limits(TEN)));
    Decision denied = only(engine.decide(costing(1)));
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void replace_loweredAndRaisedAgain_forgivesTheDifference() {
    PolicyEngine engine = consumed(1_000, user("r").limits(THOUSAND));
    engine.replace(of(user("r").limits(TEN)));
    assertThat(engine.decide(costing(1)).allowed()).isFalse();
    engine.replace(of(user("r").limits(THOUSAND)));
    assertThat(only(engine.decide(costing(0))).remaining()).isEqualTo(990);
  }

  @Test
  void replace_ruleRenamed_keepsWhatWasConsumed() {
    PolicyEngine engine = consumed(8, user("r").limits(TEN));
    engine.replace(of(user("another").limits(TEN)));
    assertThat(only(engine.decide(costing(0))).remaining()).isEqualTo(2);
  }

  @Test
  void replace_tierAddedBefore_keepsWhatWasConsumed() {
    PolicyEngine engine = consumed(8, user("r").limits(TEN));
    engine.replace(of(user("new").where("plan", "none").limits(TEN), user("r").limits(TEN)));
    Verdict verdict = engine.decide(costing(0));
    assertThat(verdict.outcomes().get(0).rule().name()).isEqualTo("new");
    assertThat(only(verdict).remaining()).isEqualTo(2);
  }

  @Test
  void replace_tiersHoppedBetweenRightAfter_forgivesNothing() {
    Rules pro = user("pro").where("plan", "pro").limits(THOUSAND);
    Rules others = user("others").limits(TEN);
    PolicyEngine engine = new PolicyEngine(store, of(pro, others));
    assertThat(engine.decide(costing(1_000, "pro")).allowed()).isTrue();

    engine.replace(of(pro, others));
    assertThat(engine.decide(costing(1, "none")).allowed()).isFalse();

    assertThat(only(engine.decide(costing(0, "pro"))).remaining()).isZero();
  }

  @Test
  void replace_limitAddedBeforeASlowerOne_keepsWhatWasConsumed() {
    TokenBucket hourly = Limit.perHour(100).burst(100);
    PolicyEngine engine = consumed(100, user("r").limits(hourly));
    engine.replace(of(user("r").limits(TEN, hourly)));
    clock.advance(Duration.ofSeconds(10));
    Decision denied = only(engine.decide(costing(1)));
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.limit()).isEqualTo(hourly);
  }

  @Test
  void replace_limitsInAnotherOrder_keepsWhatWasConsumed() {
    TokenBucket hourly = Limit.perHour(100).burst(100);
    TokenBucket secondly = Limit.perSecond(100).burst(100);
    PolicyEngine engine = consumed(100, user("r").limits(secondly, hourly));
    engine.replace(of(user("r").limits(hourly, secondly)));
    clock.advance(Duration.ofSeconds(1));
    Decision denied = only(engine.decide(costing(5)));
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.limit()).isEqualTo(hourly);
  }

  /** A group has its own buckets, so that rules can join and leave it. */
  @Test
  void replace_movedIntoANamedGroup_startsOver() {
    PolicyEngine engine = consumed(8, user("r").limits(TEN));
    engine.replace(of(user("r").limits(TEN).group("g")));
    assertThat(only(engine.decide(costing(0))).remaining()).isEqualTo(10);
  }

  @Test
  void replace_duringARequest_leavesNoOldLimitActive() {
    PolicyEngine engine = new PolicyEngine(store, of(user("r").limits(THOUSAND)));
    engine.decide(
        new BareRequest() {
          @Override
          public String attribute(String name) {
            engine.replace(of(user("r").limits(TEN)));
            return "u";
          }

          @Override
          public long costThousandths() {
            return THOUSAND.burstThousandths();
          }
        });

    Decision denied = only(engine.decide(costing(1)));
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void replace_withNewGroupsRepeatedly_freesFullBuckets() {
    PolicyEngine engine = new PolicyEngine(store, of(user("r").limits(TEN)));
    for (int i = 0; i < 2_000; i++) {
      engine.replace(of(user("r").group("g" + i).limits(TEN)));
      assertThat(engine.decide(costing(1)).allowed()).isTrue();
      clock.advance(Duration.ofMillis(100));
    }
    assertThat(store.keys()).isLessThan(50);
    assertThat(store.evictions()).isZero();
  }

  @Test
  void close_retiresAllLimits() {
    PolicyEngine engine = consumed(1_000, user("r").limits(THOUSAND));
    engine.close();
    engine.close();
    PolicyEngine next = new PolicyEngine(store, of(user("r").limits(TEN)));
    assertThat(only(next.decide(costing(1))).retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }
}
