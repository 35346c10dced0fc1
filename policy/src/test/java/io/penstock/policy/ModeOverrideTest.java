package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ModeOverrideTest {
  private static final String RULES =
      """
      rules:
        - {name: a, limit_keys: [], rate: 1/h, burst: 1, match: {plan: free}}
        - {name: b, limit_keys: [], rate: 1/h, burst: 1, match: {path: /b}}
        - {name: trial, limit_keys: [], rate: 1/h, burst: 1, match: {path: /trial}, mode: shadow}
        - {name: disabled, limit_keys: [], rate: 1/h, burst: 1, mode: "off"}
      """;

  private PolicyEngine engine = engine("");

  private static PolicyEngine engine(String mode) {
    return new PolicyEngine(
        InProcessStore.builder().clock(new ManualClock()).build(),
        PolicyLoader.parse(mode + RULES, "policy.yaml").policy());
  }

  @AfterEach
  void close() {
    engine.close();
  }

  /** Returns whether the third of three requests is allowed. */
  private boolean allows(String path) {
    Request request = ExplicitRequest.builder().path(path).attribute("plan", "none").build();
    engine.decide(request);
    engine.decide(request);
    return engine.decide(request).allowed();
  }

  @Test
  void override_oneRule_changesOnlyThatRule() {
    engine.override("b", Mode.SHADOW);
    assertThat(allows("/b")).isTrue();
    engine.override("trial", Mode.ENFORCE);
    assertThat(allows("/trial")).isFalse();
    engine.override("b", null);
    assertThat(allows("/b")).isFalse();
    assertThat(allows("/trial")).isFalse();
    engine.override("trial", null);
    assertThat(allows("/trial")).isTrue();
  }

  @Test
  void override_allRules_hasPrecedence() {
    engine.override("trial", Mode.ENFORCE);
    engine.override(Mode.SHADOW);
    assertThat(allows("/trial")).isTrue();
    engine.override(null);
    assertThat(allows("/trial")).isFalse();
  }

  @Test
  void override_unknownOrDisabledRule_changesNothing() {
    engine.override("none", Mode.ENFORCE);
    engine.override("disabled", Mode.ENFORCE);
    assertThat(allows("/other")).isTrue();
  }

  @Test
  void override_ruleOfAPolicyInShadowMode_isEnforced() {
    engine.close();
    engine = engine("mode: shadow\n");
    assertThat(allows("/b")).isTrue();
    engine.override("b", Mode.ENFORCE);
    assertThat(allows("/b")).isFalse();
  }

  @Test
  void explain_ruleInShadowModeByOverride_saysSo() {
    engine.override("b", Mode.SHADOW);
    Explanation explanation =
        engine.explain(ExplicitRequest.builder().path("/b").build()).toCompletableFuture().join();
    assertThat(explanation.findings())
        .extracting(Explanation.Finding::why)
        .anyMatch(why -> why.contains("in shadow mode by override"));
  }
}
