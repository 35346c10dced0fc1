package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Reason;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.address.Headers;
import io.penstock.policy.http.HttpRequest;
import io.penstock.policy.http.RequestLine;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.JwtVerifier;
import io.penstock.policy.load.PolicyLoader;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client gains nothing from a second value of a header, query parameter or cookie. */
class RepeatedAttributeTest {
  private static PolicyEngine engine(String yaml) {
    return new PolicyEngine(
        InProcessStore.create(), PolicyLoader.parse(yaml, "policy.yaml").policy());
  }

  private static PolicyEngine one(String fields) {
    return engine("rules: [{name: r, rate: 1/h, burst: 2, " + fields + "}]");
  }

  private static ExplicitRequest headers(String... values) {
    ExplicitRequest.Builder request = ExplicitRequest.builder().ip("192.0.2.1");
    for (String value : values) {
      request.header("X-Api-Key", value);
    }
    return request.build();
  }

  /** A request as the listeners see it. */
  private static HttpRequest http(String target, String name, String... values) {
    return new HttpRequest(
        null,
        RequestLine.of("GET", target, "a"),
        new OneHeader(name, List.of(values)),
        new JwtVerifier(JwtSettings.NONE));
  }

  private record OneHeader(String name, List<String> values) implements Headers {
    @Override
    public @Nullable String get(String requested) {
      return requested.equals(name)
          ? String.join(name.equals("cookie") ? "; " : ", ", values)
          : null;
    }

    @Override
    public List<String> all(String requested) {
      return requested.equals(name) ? values : List.of();
    }
  }

  private static void assertDenied(Verdict verdict) {
    assertThat(verdict.allowed()).isFalse();
    assertThat(verdict.decisive().orElseThrow().decision().reason()).hasValue(Reason.MISSING_KEY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"header:x-api-key", "query:key", "cookie:key"})
  void key_repeated_isDenied(String attribute) {
    PolicyEngine engine = one("limit_keys: ['" + attribute + "']");
    for (int i = 0; i < 3; i++) {
      ExplicitRequest request =
          ExplicitRequest.builder()
              .state(Attribute.parse(attribute), "K")
              .state(Attribute.parse(attribute), "r" + i)
              .build();
      assertDenied(engine.decide(request));
    }
  }

  @Test
  void key_repeatedOverHttp_isDenied() {
    assertDenied(one("limit_keys: ['header:x-api-key']").decide(http("/", "x-api-key", "K", "r1")));
    assertDenied(one("limit_keys: ['query:key']").decide(http("/?key=K&key=r1", "x")));
    assertDenied(one("limit_keys: ['query:key']").decide(http("/?key=K&ke%79=", "x")));
    assertDenied(one("limit_keys: ['cookie:key']").decide(http("/", "cookie", "key=K; key=r1")));
    assertDenied(one("limit_keys: ['cookie:key']").decide(http("/", "cookie", "key=K", "key=r1")));
  }

  @Test
  void key_oneValueWithAComma_isOneValue() {
    PolicyEngine engine = one("limit_keys: ['header:x-api-key']");
    assertThat(engine.decide(headers("a, b")).allowed()).isTrue();
    assertThat(engine.decide(http("/", "x-api-key", "a, b")).allowed()).isTrue();
    assertThat(engine.decide(headers("a, b")).allowed()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"share", "skip", "deny"})
  void key_repeatedWhereItMayBeMissing_isDenied(String missing) {
    assertDenied(
        one("limit_keys: ['header:x-api-key'], on_missing_key: " + missing)
            .decide(headers("K", "r1")));
  }

  @Test
  void key_repeatedFirstAlternative_doesNotFallThrough() {
    PolicyEngine engine = one("limit_keys: ['header:x-api-key|ip:address']");
    assertDenied(engine.decide(headers("K", "r1")));
    assertDenied(engine.decide(headers("", "K")));
  }

  @ParameterizedTest
  @CsvSource({"first, K, r1, K", "last, r1, K, K", "join, K, r1, 'K, r1'"})
  void key_repeatedByRule_countsAsTheRuleSays(
      String onRepeatedKey, String one, String other, String counted) {
    PolicyEngine engine =
        one("limit_keys: ['header:x-api-key'], on_repeated_key: " + onRepeatedKey);
    assertThat(engine.decide(headers(one, other)).allowed()).isTrue();
    assertThat(engine.decide(headers(one, other)).allowed()).isTrue();
    assertThat(engine.decide(headers(counted)).allowed()).isFalse();
    assertThat(engine.decide(headers("another")).allowed()).isTrue();
  }

  @Test
  void key_repeatedUnderPartialRollout_isDenied() {
    for (int percent : new int[] {1, 50, 99}) {
      assertDenied(
          one("limit_keys: ['header:x-api-key'], enforce_percent: " + percent)
              .decide(headers("K", "r1")));
    }
    assertThat(
            one("limit_keys: ['header:x-api-key'], enforce_percent: 0")
                .decide(headers("K", "r1"))
                .allowed())
        .isTrue();
  }

  @Test
  void match_secondValue_doesNotEvadeTheRule() {
    PolicyEngine engine = one("limit_keys: [], match: {'header:x-api-key': slow}");
    assertDenied(engine.decide(headers("slow", "x")));
    assertDenied(engine.decide(headers("x", "slow")));
    assertThat(engine.decide(headers("x", "y")).decisive()).isEmpty();
  }

  @Test
  void match_secondValueAmongManyTiers_doesNotEvadeTheRule() {
    StringBuilder rules = new StringBuilder("rules:\n");
    for (int i = 0; i < 20; i++) {
      rules.append(
          "- {name: t%d, limit_keys: ['ip:address'], match: {'header:x-api-key': k%d}, rate: 1/h}%n"
              .formatted(i, i));
    }
    PolicyEngine engine = engine(rules.toString());
    assertThat(engine.decide(headers("k7")).decisive().orElseThrow().rule().name()).isEqualTo("t7");
    assertDenied(engine.decide(headers("k7", "x")));
    assertDenied(engine.decide(headers("x", "k7")));
    assertThat(engine.decide(headers("x", "y")).decisive()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"first, slow, x, true", "first, x, slow, false", "last, x, slow, true"})
  void match_repeatedByRule_comparesTheChosenValue(
      String onRepeatedKey, String one, String other, boolean applies) {
    PolicyEngine engine =
        one("limit_keys: [], match: {'header:x-api-key': slow}, on_repeated_key: " + onRepeatedKey);
    assertThat(engine.decide(headers(one, other)).decisive().isPresent()).isEqualTo(applies);
    assertThat(engine.decide(headers(one, other)).allowed()).isTrue();
  }

  @Test
  void exempt_secondValue_gainsNoExemption() {
    PolicyEngine engine =
        engine(
            """
            exempt: [{match: {"header:x-api-key": [staff, probe]}}]
            rules: [{name: r, limit_keys: [], rate: 1/h, burst: 1}]
            """);
    assertThat(engine.decide(headers("staff")).decisive()).isEmpty();
    assertThat(engine.decide(headers("staff", "probe")).decisive()).isEmpty();
    assertThat(engine.decide(headers("staff", "x")).decisive()).isPresent();
    assertThat(engine.decide(headers("x", "staff")).allowed()).isFalse();
  }

  @Test
  void unlimitedTier_secondValue_gainsNothing() {
    PolicyEngine engine =
        engine(
            """
            rules:
              - {name: staff, limit_keys: ["ip:address"], match: {"header:x-api-key": staff}, unlimited: true}
              - {name: keys, limit_keys: ["header:x-api-key"], on_missing_key: skip, unlimited: true, group: keys}
              - {name: all, limit_keys: ["ip:address"], rate: 1/h, burst: 1}
              - {name: rest, limit_keys: [], rate: 1/h, burst: 5, group: keys}
            """);
    assertThat(engine.decide(headers("staff")).decisive()).isEmpty();
    assertThat(engine.decide(headers("staff", "x")).outcomes())
        .extracting(outcome -> outcome.rule().name())
        .containsExactly("all", "rest");
  }

  @Test
  void cost_repeated_isNoCheaper() {
    String rule = "limit_keys: [], burst: 9, cost_source: 'header:x-api-key'";
    String yaml = "rules: [{name: r, rate: 1/h, " + rule + "%s}]";
    assertDenied(engine(yaml.formatted("")).decide(headers("5", "x")));
    assertThat(cost(yaml.formatted(", on_repeated_key: first"), "5", "x")).isEqualTo(5_000);
    assertThat(cost(yaml.formatted(", on_repeated_key: last"), "x", "5")).isEqualTo(5_000);
    assertThat(cost(yaml.formatted(", on_repeated_key: join"), "2", "5", "x")).isEqualTo(5_000);
  }

  private static long cost(String yaml, String... values) {
    return engine(yaml).decide(headers(values)).decisive().orElseThrow().costThousandths();
  }

  @Test
  void claim_repeatedAuthorization_isDenied() {
    PolicyEngine engine =
        engine(
            """
            jwt: trusted
            rules: [{name: r, limit_keys: ["jwt:sub|ip:address"], rate: 1/h, burst: 2}]
            """);
    HttpRequest request =
        new HttpRequest(
            null,
            RequestLine.of("GET", "/", "a"),
            new OneHeader("authorization", List.of("Bearer a.b.c", "Bearer d.e.f")),
            engine.jwt());
    assertDenied(engine.decide(request));
  }

  @Test
  void explain_repeatedKey_isReported() {
    PolicyEngine engine = one("limit_keys: ['header:x-api-key']");
    Explanation explanation = engine.explain(headers("K", "r1")).toCompletableFuture().join();
    assertThat(explanation.findings().get(0).why())
        .isEqualTo("matches, and denies because header:x-api-key is repeated");
  }
}
