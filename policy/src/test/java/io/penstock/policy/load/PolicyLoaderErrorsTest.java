package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyLoaderErrorsTest {
  @Test
  void parse_errorsBesideWarnings_areBothThere() {
    String policy =
        """
        rules:
          - {name: cut, limit_keys: ['ip:address'], rate: 10/s, burst: 5}
          - {name: none, limit_keys: []}
        """;

    assertThatThrownBy(() -> PolicyLoader.parse(policy, "p.yaml"))
        .isInstanceOfSatisfying(
            PolicyException.class,
            e -> {
              assertThat(e.problems()).isNotEmpty().allMatch(p -> p.path().startsWith("rules[1]"));
              assertThat(e.warnings()).extracting(Problem::path).containsExactly("rules[0].burst");
            });
  }

  @Test
  void parse_sixMistakes_areSixLinesWithLocations() {
    List<String> errors =
        Loading.errors(
            """
            mode: enforced
            rules:
              - name: one
                limit_keys: [user_id]
                rate: 10/s
                burst: -3
              - name: two
                limit_keys: user_id
                rate: 10/fortnight
              - name: three
                limit_keys: []
                rate: 10/s
                bursts: 7
              - name: three
                limit_keys: [user_id, "ip:port"]
                rate: 10/s
            """);

    assertThat(errors)
        .containsExactly(
            "p.yaml:1:7: mode: must be enforce | shadow | off: enforced; did you mean enforce?",
            "p.yaml:6:12: rules[0].burst: must be positive: -3",
            "p.yaml:8:17: rules[1].limit_keys: must be a list; put it in brackets: [\"user_id\"]",
            "p.yaml:9:11: rules[1].rate: must have a unit of time (s, sec, second, m, min, minute,"
                + " h, hour, d, day): fortnight",
            "p.yaml:13:5: rules[2].bursts: unknown field; did you mean burst?",
            "p.yaml:15:27: rules[3].limit_keys[1]: must be ip:address, header:…, query:…,"
                + " cookie:…, jwt:…, path, method, host or a bare name: ip:port; did you mean ip:address?");
  }

  @Test
  void problems_ofException_areItsLines() {
    assertThatThrownBy(() -> PolicyLoader.parse("{rules: [7], mod: off}", "p.yaml"))
        .isInstanceOf(PolicyException.class)
        .hasMessage(
            """
            p.yaml:1:10: rules[0]: must be a mapping, not a number
            p.yaml:1:14: mod: unknown field; did you mean mode?""");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rate: 5",
        "rate: 5/",
        "rate: /s",
        "rate: 5/0s",
        "rate: 0/s",
        "rate: -1/s",
        "rate: 1..2/s",
        "rate: 5/ms",
        "rate: 1e3/s",
        "rate: 5 per s",
        "rate: [5/s]",
        "rate: ~",
        "rate: 1000000001/s",
        "rate: 0.000000001/d",
        "rate: 1/d, burst: 4000",
        "burst: 5",
        "rate: 5/s, burst: 0.0001",
        "rate: 5/s, burst: 1000000001",
        "rate: 5/s, burst: 1e400000000",
        "rate: 5/s, burst: '5'",
        "rate: 5/s, fixed_cost: 0",
        "rate: 5/s, fixed_cost: 1e13",
        "rate: 5/s, cost_source: 'path'",
        "rate: 5/s, cost_source: 'cookie:c'",
        "rate: 5/s, cost_source: 'jwt:c'",
        "rate: 5/s, cost_source: 'a|b'",
        "rate: 5/s, cost_source: w, fixed_cost: 2",
        "rate: 5/s, cost_source: fixed, default_cost: 2",
        "rate: 5/s, min_cost: 2",
        "rate: 5/s, cost_source: w, default_cost: 2, min_cost: 3",
        "rate: 5/s, algorithm: token_buckets",
        "rate: 5/s, algorithm: fixed_window",
        "limit: 5, window: 1s",
        "rate: 5/s, limit: 5",
        "algorithm: fixed_window, limit: 5",
        "algorithm: fixed_window, window: 5s",
        "algorithm: fixed_window, limit: 5, window: 5",
        "algorithm: fixed_window, limit: 5, window: 0s",
        "algorithm: fixed_window, limit: 5, window: 4000d",
        "algorithm: fixed_window, limit: 5/min, window: 1s",
        "algorithm: sliding_log, limit: 100001, window: 1s",
        "algorithm: sliding_log, limit: 1.5, window: 1s",
        "algorithm: leaky_bucket, rate: 5/s, burst: 2",
        "algorithm: leaky_bucket, rate: 5/s, on_limit: reject",
        "algorithm: fixed_window, limit: 5, window: 1s, on_limit: delay",
        "algorithm: fixed_window, limit: 5, window: 1s, consistency: leased",
        "algorithm: fixed_window, limit: 5, window: 1s, refund_on_upstream_error: true",
        "rate: 5/s, refund_on_upstream_error: 1",
        "rate: 5/s, max_delay_ms: 5",
        "rate: 5/s, on_limit: delay, max_delay_ms: 0",
        "rate: 5/s, on_limit: delay, max_delay_ms: 600001",
        "rate: 5/s, on_limit: delay, max_delay_ms: 1.5",
        "rate: 5/s, on_limit: wait",
        "rate: 5/s, on_missing_key: ignore",
        "rate: 5/s, on_store_failure: shut",
        "rate: 5/s, consistency: loose",
        "rate: 5/s, mode: dry",
        "rate: 5/s, enforce_percent: 101",
        "rate: 5/s, enforce_percent: 0.5",
        "rate: 5/s, manual: yes",
        "rate: 5/s, manual: true, group: g",
        "rate: 5/s, mode: shadow, enforce_percent: 50",
        "rate: 5/s, mode: off, enforce_percent: 50",
        "rate: 5/s, group: ''",
        "rate: 5/s, description: [no]",
        "rate: 5/s, unlimited: yes",
        "unlimited: true, rate: 5/s",
        "unlimited: true, fixed_cost: 5",
        "unlimited: true, on_limit: delay",
        "unlimited: false",
        "limits: []",
        "limits: {rate: 5/s}",
        "limits: [{rate: 5/s, cost_source: w}]",
        "limits: [{algorithm: leaky_bucket, rate: 5/s}]",
        "limits: [{rate: 1/s}], burst: 5",
        "limits: [{rate: 1/s}], algorithm: token_bucket",
        "rate: 5/s, match: {user: ~}",
        "rate: 5/s, match: {user: []}",
        "rate: 5/s, match: {user: [[a]]}",
        "rate: 5/s, match: {user: {a: b}}",
        "rate: 5/s, match: {user: ''}",
        "rate: 5/s, match: [user]",
        "rate: 5/s, match: {path: login}",
        "rate: 5/s, match: {'ip:address': 10.0.0.0/33}",
        "rate: 5/s, match: {'ip:addr': 10.0.0.0}",
        "rate: 5/s, match: {'user|path': /x}",
        "rate: 5/s, match: {'user|method': GET}",
        "rate: 5/s, match: {'host|user': h}",
        "rate: 5/s, match: {'user|ip:address': 10.0.0.1}",
        "rate: 5/s, match: {'header:A': x, 'header:a': y}"
      })
  void parse_oneMistake_isOneError(String fields) {
    assertThat(Loading.plainErrors(fields)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "rate: 1/s, burst: 400000000; burst: burst / rate must be at most 10 years: ",
        "algorithm: sliding_log, limit: 1.5, window: 1s; "
            + "limit: limit of a sliding log must be whole: 1.5",
        "algorithm: sliding_log, limit: 100001, window: 1s; "
            + "limit: must be from 0.001 to 100000: 100001.0"
      })
  void parse_invalidLimit_isExplained(String fields, String message) {
    assertThat(Loading.plainErrors(fields)).singleElement().asString().startsWith(message);
  }

  @Test
  void parse_elevenLimits_isRejected() {
    String limits = "{rate: 1/s}, ".repeat(11);

    assertThat(Loading.plainErrors("limits: [" + limits + "]"))
        .containsExactly("limits: must have 1 to 10 limits: 11");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "user_id, user_id; must not repeat an attribute: user_id",
        "user_id, 'user_id|ip:address'; must not repeat an attribute: user_id",
        "'header:A', 'header:a'; must not repeat an attribute: header:a",
        "'header:\u212A'; must be printable ASCII",
        "a, b, c, d, e, f, g, h, i; must have at most 8 keys: 9",
        "~; must be a single value, not null",
        "[a]; must be a single value, not a list",
        "\"\"; the name of an attribute must have 1 to 64 characters"
      })
  void parse_badKeys_areRejected(String keys, String message) {
    assertThat(Loading.errors("{name: r, rate: 1/s, limit_keys: [" + keys + "]}"))
        .singleElement()
        .asString()
        .contains(": limit_keys", message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/a", "a\\\\b", "a\\\"b", "caf\\u00e9", "a\\tb"})
  void parse_badName_isRejected(String name) {
    assertThat(Loading.errors("{name: \"" + name + "\", limit_keys: [], rate: 1/s}"))
        .singleElement()
        .asString()
        .startsWith("p.yaml:1:8: name: must ");
  }

  @Test
  void parse_nameOfHundredCharacters_isTheMaximum() {
    String maxLengthName = "n".repeat(100);

    assertThat(Loading.rule("limit_keys: [], rate: 1/s, name: " + maxLengthName).name())
        .isEqualTo(maxLengthName);
    assertThat(Loading.errors("{limit_keys: [], rate: 1/s, name: n" + maxLengthName + "}"))
        .hasSize(1);
  }

  @Test
  void parse_missingFields_areNamed() {
    assertThat(Loading.errors("rules: [{description: x}]"))
        .containsExactlyInAnyOrder(
            "p.yaml:1:9: rules[0].name: is required",
            "p.yaml:1:9: rules[0].limit_keys: is required; [] is one bucket for all requests",
            "p.yaml:1:9: rules[0].rate: is required, or limits, algorithm_config or"
                + " unlimited: true");
  }

  @Test
  void parse_sameNameTwice_namesTheOtherLocation() {
    assertThat(
            Loading.errors(
                """
                rules:
                  - {name: a, limit_keys: [], rate: 1/s}
                  - {name: a, limit_keys: [user], rate: 1/s}
                """))
        .containsExactly("p.yaml:3:5: rules[1]: must have a unique name: a is also at p.yaml:2:5");
  }

  @Test
  void parse_valueWithLineBreaks_staysOneLine() {
    assertThat(Loading.errors("{name: \"a\\nb\\u2028c\", limit_keys: [], rate: 1/s}"))
        .singleElement()
        .asString()
        .doesNotContain("\n", "\u2028");
  }
}
