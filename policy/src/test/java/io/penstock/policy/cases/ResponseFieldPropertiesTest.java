package io.penstock.policy.cases;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.CheckJson;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.io.IOException;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** Expectations compare the same figures that the service returns. */
class ResponseFieldPropertiesTest {
  private static final Policy POLICY =
      PolicyLoader.parse(
              """
              rules:
                - {name: a, limit_keys: [user_id], rate: 3/s, burst: 4.5}
                - {name: b, limit_keys: [user_id], rate: 7/min, burst: 3, mode: shadow}
                - {name: c, limit_keys: [], match: {path: /c}, rate: 2/s, burst: 2, on_limit: delay}
                - {name: d, limit_keys: [key], match: {path: /d}, rate: 2/s, on_missing_key: deny}
              """,
              "p.yaml")
          .policy();

  private static final List<ExplicitRequest.Builder> REQUESTS =
      List.of(
          ExplicitRequest.builder().attribute("user_id", "u"),
          ExplicitRequest.builder().attribute("user_id", "u").path("/c"),
          ExplicitRequest.builder().attribute("user_id", "u").path("/d"),
          ExplicitRequest.builder().path("/c"),
          ExplicitRequest.builder());

  @Property(tries = 200)
  void of_anyVerdict_isWhatTheAnswerSays(
      @ForAll List<@IntRange(max = 4) Integer> requests,
      @ForAll @LongRange(max = 6_000) long cost,
      @ForAll @LongRange(max = 700_000_000L) long waitNanos)
      throws IOException {
    ManualClock clock = new ManualClock();
    PolicyEngine engine =
        new PolicyEngine(InProcessStore.builder().clock(clock).maxKeys(1_000).build(), POLICY);
    for (int request : requests) {
      Verdict verdict = engine.decide(REQUESTS.get(request).costThousandths(cost).build());
      check(verdict);
      clock.advanceNanos(waitNanos);
    }
  }

  private static void check(Verdict verdict) throws IOException {
    JsonNode answer = new ObjectMapper().readTree(CheckJson.bytes(verdict));
    for (ResponseField figure : ResponseField.values()) {
      if (!figure.isRuleOnly()) {
        assertThat(figure.of(verdict)).as("%s", figure).isEqualTo(text(answer, figure));
      }
      for (int i = 0; i < verdict.outcomes().size(); i++) {
        assertThat(figure.of(verdict.outcomes().get(i)))
            .as("%s", figure)
            .isEqualTo(text(answer.get("limits").get(i), figure));
      }
    }
  }

  private static String text(JsonNode answer, ResponseField figure) {
    return answer.get(figure.code()).asText();
  }
}
