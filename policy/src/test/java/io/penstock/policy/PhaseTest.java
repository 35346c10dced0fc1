package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Test;

class PhaseTest {
  private static final Request KNOWN =
      ExplicitRequest.builder()
          .ip("192.0.2.1")
          .path("/a")
          .attribute("user_id", "7")
          .attribute("plan", "pro")
          .build();

  private static PolicyEngine engine(String rules) {
    return new PolicyEngine(
        InProcessStore.builder().clock(new ManualClock()).build(),
        PolicyLoader.parse("rules:\n" + rules, "policy.yaml").policy());
  }

  private static List<String> names(Verdict verdict) {
    return verdict.outcomes().stream().map(outcome -> outcome.rule().name()).toList();
  }

  @Test
  void decide_inPhases_evaluatesEachRuleOnce() {
    PolicyEngine engine =
        engine(
            """
              - {name: address, limit_keys: ["ip:address"], rate: 1/s, burst: 5}
              - {name: user, limit_keys: [user_id], rate: 1/s, burst: 5}
              - {name: planned, limit_keys: [], match: {plan: pro}, rate: 1/s, burst: 5}
              - {name: either, limit_keys: ["user_id|ip:address"], rate: 1/s, burst: 5}
              - {name: weighed, limit_keys: [path], rate: 1/s, burst: 5, cost_source: weight}
              - {name: path, limit_keys: [path], match: {path: /a}, rate: 1/s, burst: 5}
            """);

    assertThat(names(engine.decide(KNOWN, Phase.EARLY))).containsExactly("address", "path");
    assertThat(names(engine.decide(KNOWN, Phase.LATE)))
        .containsExactly("user", "planned", "either", "weighed");
    assertThat(names(engine.decide(KNOWN, Phase.WHOLE))).hasSize(6);
  }

  @Test
  void decide_groupWithATierOnAUser_isEvaluatedLate() {
    PolicyEngine engine =
        engine(
            """
              - {name: pro, limit_keys: [user_id], match: {plan: pro}, rate: 1/s, group: who}
              - {name: others, limit_keys: ["ip:address"], rate: 1/s, group: who}
            """);

    assertThat(engine.has(Phase.EARLY)).isFalse();
    assertThat(engine.has(Phase.LATE)).isTrue();
    assertThat(engine.decide(KNOWN, Phase.EARLY)).isSameAs(Verdict.UNLIMITED);
    assertThat(names(engine.decide(KNOWN, Phase.LATE))).containsExactly("pro");
  }

  @Test
  void decideAsync_inPhases_evaluatesTheSameRules() {
    PolicyEngine engine =
        engine(
            """
              - {name: address, limit_keys: ["ip:address"], rate: 1/s, burst: 5}
              - {name: user, limit_keys: [user_id], rate: 1/s, burst: 5}
            """);

    assertThat(names(engine.decideAsync(KNOWN, Phase.EARLY).toCompletableFuture().join()))
        .containsExactly("address");
    assertThat(names(engine.decideAsync(KNOWN, Phase.LATE).toCompletableFuture().join()))
        .containsExactly("user");
  }

  @Test
  void decide_manualRule_appliesOnlyByItsName() {
    PolicyEngine engine =
        engine(
            """
              - {name: user, limit_keys: [user_id], rate: 1/s, burst: 5}
              - {name: export, limit_keys: [user_id], rate: 1/s, burst: 2, manual: true}
            """);

    assertThat(names(engine.decide(KNOWN))).containsExactly("user");
    assertThat(engine.decide("export", KNOWN).allowed()).isTrue();
    assertThat(engine.decideAsync("export", KNOWN).toCompletableFuture().join().allowed()).isTrue();
    Verdict third = engine.decide("export", KNOWN);
    assertThat(third.allowed()).isFalse();
    assertThat(names(third)).containsExactly("export");
    // The rule with the same keys has a bucket of its own.
    assertThat(engine.decide(KNOWN).decisive().orElseThrow().decision().remainingThousandths())
        .isEqualTo(3_000);
  }

  @Test
  void decide_nameOfNoManualRule_isUnlimited() {
    PolicyEngine engine =
        engine(
            """
              - {name: user, limit_keys: [user_id], rate: 1/s, burst: 5}
              - {name: gone, limit_keys: [user_id], rate: 1/s, manual: true, mode: off}
            """);

    assertThat(engine.decide("user", KNOWN)).isSameAs(Verdict.UNLIMITED);
    assertThat(engine.decide("gone", KNOWN)).isSameAs(Verdict.UNLIMITED);
    assertThat(engine.decide("never", KNOWN)).isSameAs(Verdict.UNLIMITED);
  }

  @Test
  void decide_manualRule_respectsMatchAndExemptions() {
    PolicyEngine engine =
        new PolicyEngine(
            InProcessStore.create(),
            PolicyLoader.parse(
                    """
                    exempt:
                      - match: {plan: staff}
                    rules:
                      - {name: pro, limit_keys: [], match: {plan: pro}, rate: 1/d, burst: 1, manual: true}
                    """,
                    "policy.yaml")
                .policy());
    Request free = ExplicitRequest.builder().attribute("plan", "free").build();
    Request staff = ExplicitRequest.builder().attribute("plan", "staff").build();

    assertThat(engine.decide("pro", KNOWN).outcomes()).hasSize(1);
    assertThat(engine.decide("pro", free)).isSameAs(Verdict.UNLIMITED);
    assertThat(engine.decide("pro", staff)).isSameAs(Verdict.UNLIMITED);
  }

  @Test
  void explain_manualRule_isReportedAsManual() {
    PolicyEngine engine = engine("  - {name: export, limit_keys: [], rate: 1/s, manual: true}\n");

    Explanation explanation = engine.explain(KNOWN).toCompletableFuture().join();

    assertThat(explanation.findings().get(0).why())
        .isEqualTo("applies only when requested by name");
  }

  @Test
  void and_ofTwoPhases_isDecidedByTheWorse() {
    PolicyEngine engine =
        engine(
            """
              - {name: address, limit_keys: ["ip:address"], rate: 1/s, burst: 5}
              - {name: seen, limit_keys: ["ip:address"], rate: 1/s, burst: 5, mode: shadow}
              - {name: user, limit_keys: [user_id], rate: 1/d, burst: 1}
            """);
    engine.decide(KNOWN, Phase.LATE);

    Verdict early = engine.decide(KNOWN, Phase.EARLY);
    Verdict both = early.and(engine.decide(KNOWN, Phase.LATE));

    assertThat(both.allowed()).isFalse();
    assertThat(both.decisive().orElseThrow().rule().name()).isEqualTo("user");
    assertThat(names(both)).containsExactly("address", "user", "seen");
    assertThat(early.and(Verdict.UNLIMITED)).isSameAs(early);
    assertThat(Verdict.UNLIMITED.and(early)).isSameAs(early);
  }
}
