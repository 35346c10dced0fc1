package io.penstock.policy;

import static io.penstock.policy.Rules.rule;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Reason;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Explanation.Finding;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests and policies at the limits of what is supported. */
class PolicyEngineEdgesTest {
  private static final ExplicitRequest REQUEST =
      ExplicitRequest.builder().attribute("user_id", "u").attribute("plan", "pro").build();

  private static PolicyEngine engine(Rules... rules) {
    Rule[] built = new Rule[rules.length];
    for (int i = 0; i < rules.length; i++) {
      built[i] = rules[i].build();
    }
    InProcessStore store = InProcessStore.builder().clock(new ManualClock()).build();
    return new PolicyEngine(store, Policy.of(built));
  }

  private static List<String> findings(PolicyEngine engine) {
    return engine.explain(REQUEST).toCompletableFuture().join().findings().stream()
        .map(Finding::why)
        .toList();
  }

  @Test
  void decide_theGreatestCostOnALog_neverPasses() {
    PolicyEngine engine = engine(rule("log").limits(Limit.slidingLog(5, Duration.ofSeconds(1))));
    for (long cost : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 999, Long.MAX_VALUE - 1_000}) {
      Verdict verdict = engine.decide(ExplicitRequest.builder().costThousandths(cost).build());
      Decision decision = verdict.decisive().orElseThrow().decision();
      assertThat(decision.reason()).contains(Reason.COST_ABOVE_BURST);
      assertThat(decision.neverAllowed()).isTrue();
    }
  }

  @Test
  void decide_groupsWhoseNamesLookAlike_bothApply() {
    Limit five = Limit.perSecond(1).burst(5);
    PolicyEngine engine =
        engine(
            rule("one").by("user_id").group("x").limits(five, Limit.perHour(9).burst(9)),
            rule("two").by("user_id").group("x.1").limits(five));
    assertThat(engine.decide(REQUEST).outcomes()).hasSize(2);
  }

  @Test
  void decide_aHugeValue_isNotKept() {
    PolicyEngine engine = engine(rule("r").by("header:k"));
    int megabyte = 1_000_000;
    long before = usedBytes();
    engine.decide(ExplicitRequest.builder().header("k", "x".repeat(5 * megabyte)).build());
    assertThat(usedBytes() - before).isLessThan(megabyte);
    assertThat(engine.decide(REQUEST).allowed()).isTrue();
  }

  private static long usedBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void explain_shadowAndEnforcedTierBefore_namesTheOneThatCountsInstead() {
    PolicyEngine engine =
        engine(
            rule("shade").by("user_id").mode(Mode.SHADOW, 100),
            rule("first").by("user_id"),
            rule("second").by("user_id"));
    assertThat(findings(engine).get(2)).isEqualTo("an earlier rule of its group applies: first");
  }

  @Test
  void degraded_onlyAShadow_isFalse() {
    Rule rule = rule("r").build();
    Decision allowed = Decision.allow("r", rule.limits().get(0), 0, 0, 0);
    Outcome enforced = new Outcome(rule, Mode.ENFORCE, "", 1_000, allowed);
    Outcome shadow =
        new Outcome(rule, Mode.SHADOW, "", 1_000, allowed.asDegraded(Reason.STORE_UNAVAILABLE));
    assertThat(Verdict.of(List.of(enforced, shadow)).degraded()).isFalse();
    assertThat(Verdict.of(List.of(shadow)).degraded()).isFalse();
  }

  @Test
  void decide_tiersOfANamedGroupAtOnePath_countOnce() {
    Policy policy =
        Policy.of(
            Rules.rule("get").where("path", "/a").where("method", "GET").group("g").build(),
            Rules.rule("all").where("path", "/a").group("g").build());
    PolicyEngine engine = new PolicyEngine(InProcessStore.create(), policy);
    ExplicitRequest request = ExplicitRequest.builder().path("/a").method("GET").build();
    assertThat(engine.decide(request).outcomes()).hasSize(1);
  }
}
