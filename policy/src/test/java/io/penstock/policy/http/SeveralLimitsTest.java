package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Verdict;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each limit of a rule has its own name, which is the same in every response. */
class SeveralLimitsTest {
  private static final String POLICY =
      """
      jwt: caller
      rules:
        - name: api
          limit_keys: ["jwt:sub"]
          limits: [{rate: 1/s, burst: 2}, {rate: 5/h}]
          %s
        - {name: all, limit_keys: [], rate: 1000/s}
      """;
  private static final String POLICIES =
      "\"api#1\";q=2;w=2, \"api#2\";q=5;w=3600, \"all\";q=1000;w=1";

  private final ManualClock clock = new ManualClock();
  private final VerdictResponses answers = new VerdictResponses(HeaderFormat.ALL, Jitter.NONE);

  private PolicyEngine engine(String more) {
    return new PolicyEngine(
        InProcessStore.builder().clock(clock).build(),
        PolicyLoader.parse(POLICY.formatted(more), "policy.yaml").policy());
  }

  private Map<String, String> headers(Verdict verdict) {
    Map<String, String> headers = new HashMap<>();
    answers.headers(verdict, headers::put);
    return headers;
  }

  @Test
  void headers_whicheverLimitDecides_haveTheSamePolicies() {
    PolicyEngine engine = engine("");
    ExplicitRequest request = ExplicitRequest.builder().claim("sub", "a").build();
    assertThat(headers(engine.decide(request)))
        .containsEntry("RateLimit-Policy", POLICIES)
        .containsEntry("RateLimit", "\"api#1\";r=1;t=1, \"api#2\";r=4;t=720, \"all\";r=999;t=1")
        .containsEntry("RateLimit-Limit", "2");
    engine.decide(request);
    clock.advance(Duration.ofSeconds(2));
    engine.decide(request);
    clock.advance(Duration.ofSeconds(2));
    engine.decide(request);
    clock.advance(Duration.ofSeconds(2));
    assertThat(headers(engine.decide(request)))
        .containsEntry("RateLimit-Policy", POLICIES)
        .containsEntry("RateLimit-Limit", "5");
    Verdict denied = engine.decide(request);
    assertThat(headers(denied))
        .containsEntry("RateLimit-Policy", POLICIES)
        .containsEntry("RateLimit-Remaining", "0");
    assertThat(new String(answers.deny(denied, (name, value) -> {}).body(), StandardCharsets.UTF_8))
        .contains("\"violated-policies\":[\"api#2\"]");
  }

  @Test
  void headers_missingKey_haveTheSamePolicies() {
    Verdict denied = engine("on_missing_key: deny").decide(ExplicitRequest.builder().build());
    assertThat(headers(denied))
        .containsEntry("RateLimit-Policy", "\"api#1\";q=2;w=2, \"api#2\";q=5;w=3600")
        .containsEntry("RateLimit", "\"api#1\";r=0");
    assertThat(new String(answers.deny(denied, (name, value) -> {}).body(), StandardCharsets.UTF_8))
        .contains("\"violated-policies\":[\"api#1\"]");
  }
}
