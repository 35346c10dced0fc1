package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Policy;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Every file results in a policy or a list of errors. */
class PolicyLoaderPropertiesTest {
  private static final String GOOD =
      """
      mode: enforce
      client_address: {trusted_proxies: [10.0.0.0/8], header: forwarded}
      jwt: {secret: a secret of more than thirty-two bytes, audience: [a]}
      exempt:
        - match: {"ip:address": [10.0.0.0/8]}
      rules:
        - {name: a, limit_keys: [user_id|ip:address], match: {path: /x/*}, rate: 0.083/s, burst: 2}
        - name: b
          limit_keys: ["header:x"]
          algorithm: token_bucket
          algorithm_config: {rps: 5, burst: 10, cost_source: "header:w", default_cost: 1}
        - {name: c, limit_keys: [], limits: [{rate: 5/s}, {algorithm: fixed_window, limit: 5, window: 1m}]}
        - {name: d, limit_keys: [], group: g, algorithm: leaky_bucket, rate: 5/min, max_delay_ms: 5}
      """;

  private static final String GOOD_JSON =
      """
      {"mode": "shadow", "rules": [
        {"name": "a", "limit_keys": ["user_id"], "match": {"plan": ["pro", "team"]}, "rate": "5/s"},
        {"name": "b", "limit_keys": [], "algorithm_config": {"rps": 0.5, "burst": 1e3}}]}
      """;

  private static void check(String text, String name) {
    try {
      LoadedPolicy loaded = PolicyLoader.parse(text, name);
      assertThat(loaded.policy().rules()).isNotEmpty();
    } catch (PolicyException e) {
      assertThat(e.problems()).isNotEmpty();
      assertThat(e.getMessage().lines()).hasSameSizeAs(e.problems());
    }
  }

  @Property
  void parse_garbage_isPolicyOrProblems(@ForAll String text, @ForAll boolean json) {
    check(text, json ? "p.json" : "p.yaml");
  }

  @Property
  void parse_garbageOfTheRightLetters_isPolicyOrProblems(
      @ForAll("wordSalad") String text, @ForAll boolean json) {
    check(text, json ? "p.json" : "p.yaml");
  }

  @Provide
  Arbitrary<String> wordSalad() {
    return Arbitraries.of(words()).list().ofMaxSize(60).map(words -> String.join("", words));
  }

  private static List<String> words() {
    return List.of(
        "rules",
        "name",
        "limit_keys",
        "match",
        "rate",
        "burst",
        "limits",
        "algorithm",
        "jwt",
        "exempt",
        "fixed_window",
        "5/s",
        "1e9",
        "-1",
        "true",
        "null",
        "~",
        "a",
        "path",
        "/x*",
        "ip:address",
        "::1",
        ": ",
        ":",
        "\n",
        "\n  ",
        "\n  - ",
        "- ",
        ", ",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        "&a ",
        "*a",
        "!!x ",
        "|",
        ">",
        "#",
        "%",
        "?",
        "---\n",
        "\t",
        "\\",
        "\u0000",
        "\ud800",
        "\u2028");
  }

  @Property
  void parse_mutatedPolicy_isPolicyOrProblems(@ForAll("mutants") String text) {
    check(text, "p.yaml");
  }

  @Property
  void parse_mutatedJson_isPolicyOrProblems(@ForAll("jsonMutants") String text) {
    check(text, "p.json");
  }

  @Provide
  Arbitrary<String> mutants() {
    return mutants(GOOD);
  }

  @Provide
  Arbitrary<String> jsonMutants() {
    return mutants(GOOD_JSON);
  }

  private static Arbitrary<String> mutants(String good) {
    return Combinators.combine(
            Arbitraries.integers().between(0, good.length()),
            Arbitraries.integers().between(0, 12),
            Arbitraries.oneOf(Arbitraries.of(words()), Arbitraries.strings().ofMaxLength(3).all()))
        .as(
            (at, length, put) ->
                good.substring(0, at) + put + good.substring(Math.min(good.length(), at + length)));
  }

  @Property
  void parse_jsonAsYaml_isTheSamePolicy(
      @ForAll("names") String name, @ForAll("rates") String rate, @ForAll("names") String value) {
    String text =
        """
        {"mode": "off", "exempt": [{"match": {"staff": true}}], "rules": [
         {"name": "%s", "limit_keys": ["user_id"], "match": {"plan": ["%s", 7]}, "rate": "%s"},
         {"name": "%s.", "limit_keys": [], "algorithm_config": {"rps": 0.50, "burst": 1e3}}]}
        """
            .formatted(name, value, rate, name);

    Policy json = PolicyLoader.parse(text, "p.json").policy();
    Policy yaml = PolicyLoader.parse(text, "p.yaml").policy();

    assertThat(yaml).isEqualTo(json);
  }

  @Provide
  Arbitrary<String> names() {
    return Arbitraries.strings()
        .withCharRange('0', 'z')
        .excludeChars('\\')
        .ofMinLength(1)
        .ofMaxLength(9);
  }

  @Provide
  Arbitrary<String> rates() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 1000), Arbitraries.of("s", "10min", "h", "2 day"))
        .as((tokens, period) -> tokens + "/" + period);
  }
}
