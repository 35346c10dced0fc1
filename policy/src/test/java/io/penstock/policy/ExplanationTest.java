package io.penstock.policy;

import static io.penstock.policy.Rules.rule;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.Reason;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Explanation.Finding;
import io.penstock.testing.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The buckets and outcomes in an explanation. */
class ExplanationTest {
  private final ManualClock clock = new ManualClock();
  private final InProcessStore store = InProcessStore.builder().clock(clock).build();

  private static final ExplicitRequest REQUEST =
      ExplicitRequest.builder().attribute("user_id", "u").build();

  private PolicyEngine engine(Rules... rules) {
    return new PolicyEngine(
        store, Policy.of(List.of(rules).stream().map(Rules::build).toArray(Rule[]::new)));
  }

  private static Explanation explain(PolicyEngine engine, ExplicitRequest request) {
    return engine.explain(request).toCompletableFuture().join();
  }

  private static long remaining(Finding finding) {
    return finding.outcome().decision().remainingThousandths();
  }

  @Test
  void explain_allowed_showsLevelsAroundTheChargeAndTakesNothing() {
    PolicyEngine engine = engine(rule("r").by("user_id").limits(Limit.perSecond(1).burst(5)));
    engine.decide(REQUEST);

    for (int i = 0; i < 3; i++) {
      Finding finding = explain(engine, REQUEST).findings().get(0);

      assertThat(finding.charge().mode()).isEqualTo(Mode.ENFORCE);
      assertThat(finding.charge().key()).isEqualTo("user_id=u");
      assertThat(finding.charge().costThousandths()).isEqualTo(1_000);
      assertThat(finding.charge().before().remainingThousandths()).isEqualTo(4_000);
      assertThat(remaining(finding)).isEqualTo(3_000);
    }
    assertThat(engine.decide(REQUEST).decisive().get().decision().remaining()).isEqualTo(3);
  }

  @Test
  void explain_severalLimits_showsEachBeforeAndAfter() {
    PolicyEngine engine =
        engine(rule("r").limits(Limit.perSecond(10).burst(10), Limit.perMinute(6).burst(12)));

    Finding finding = explain(engine, REQUEST).findings().get(0);

    assertThat(finding.charge().before().results())
        .extracting(decision -> decision.remainingThousandths())
        .containsExactly(10_000L, 12_000L);
    assertThat(finding.outcome().decision().results())
        .extracting(decision -> decision.remainingThousandths())
        .containsExactly(9_000L, 11_000L);
  }

  @Test
  void explain_denied_skipsShadowsButShowsTheirBuckets() {
    PolicyEngine engine =
        engine(
            rule("bound").limits(Limit.perSecond(1).burst(1)),
            rule("tried").limits(Limit.perSecond(1).burst(7)).mode(Mode.SHADOW, 100));
    engine.decide(REQUEST);

    Explanation explanation = explain(engine, REQUEST);

    assertThat(explanation.verdict().allowed()).isFalse();
    assertThat(explanation.findings().get(0).outcome().decision().allowed()).isFalse();
    Finding tried = explanation.findings().get(1);
    assertThat(tried.applies()).isTrue();
    assertThat(tried.outcome()).isNull();
    assertThat(tried.charge().mode()).isEqualTo(Mode.SHADOW);
    assertThat(tried.charge().before().remainingThousandths()).isEqualTo(6_000);
  }

  @Test
  void explain_missingKey_evaluatesNoOtherRule() {
    PolicyEngine engine =
        engine(rule("strict").by("tenant").missing(MissingKey.DENY), rule("other"));

    Explanation explanation = explain(engine, REQUEST);

    assertThat(explanation.verdict().allowed()).isFalse();
    Finding strict = explanation.findings().get(0);
    assertThat(strict.outcome().decision().reason()).contains(Reason.MISSING_KEY);
    assertThat(strict.charge().before()).isNull();
    Finding other = explanation.findings().get(1);
    assertThat(other.applies()).isTrue();
    assertThat(other.outcome()).isNull();
    assertThat(other.charge().before().remainingThousandths()).isEqualTo(1_000_000_000);
  }

  @Test
  void explain_unlimitedOrMissing_showsNoBuckets() {
    PolicyEngine engine = engine(rule("vip").unlimited(), rule("free"));

    assertThat(explain(engine, REQUEST).findings())
        .allSatisfy(
            finding -> {
              assertThat(finding.charge()).isNull();
              assertThat(finding.outcome()).isNull();
            });
  }
}
