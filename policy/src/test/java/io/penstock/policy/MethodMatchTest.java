package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.load.PolicyLoader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MethodMatchTest {
  private static PolicyEngine engine(String fields) {
    String rule = "{name: r, rate: 1/h, burst: 1, " + fields + "}";
    return new PolicyEngine(
        InProcessStore.create(), PolicyLoader.parse(rule, "policy.yaml").policy());
  }

  private static Verdict decide(PolicyEngine engine, String method) {
    return engine.decide(ExplicitRequest.builder().method(method).build());
  }

  @ParameterizedTest
  @CsvSource({
    "GET, GET, true",
    "GET, get, true",
    "get, GeT, true",
    "GET, HEAD, true",
    "GET, head, true",
    "'[POST, GET]', HEAD, true",
    "HEAD, HEAD, true",
    "HEAD, GET, false",
    "POST, HEAD, false",
    "POST, post, true",
  })
  void match_method_appliesInAnyCaseAndToHeadLikeGet(String wanted, String sent, boolean applies) {
    Verdict verdict = decide(engine("limit_keys: [], match: {method: " + wanted + "}"), sent);
    assertThat(verdict.decisive().isPresent()).isEqualTo(applies);
  }

  @Test
  void key_method_isTheSameInAnyCase() {
    PolicyEngine engine = engine("limit_keys: [method]");
    assertThat(decide(engine, "GET").allowed()).isTrue();
    assertThat(decide(engine, "get").allowed()).isFalse();
  }

  @Test
  void match_methodOfManyTiers_appliesToHeadLikeGet() {
    StringBuilder rules = new StringBuilder("rules:\n");
    for (String method :
        List.of("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "LINK", "COPY", "LOCK")) {
      rules.append(
          "- {name: %s, limit_keys: [], match: {method: %s}, group: g, rate: 1/h}%n"
              .formatted(method, method));
    }
    PolicyEngine engine =
        new PolicyEngine(
            InProcessStore.create(), PolicyLoader.parse(rules.toString(), "p.yaml").policy());
    assertThat(decide(engine, "HEAD").decisive().orElseThrow().rule().name()).isEqualTo("GET");
  }
}
