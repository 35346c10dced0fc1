package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Rule;
import io.penstock.policy.SamplePolicy;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.RuleField;
import io.penstock.policy.load.RuleFields;
import io.penstock.policy.load.RuleReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A rule of a file can be stored as a row with the same meaning. */
class RuleColumnsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{name: a, limit_keys: [user_id], rate: 10/s, burst: 50, match: {plan: free}}",
        "{name: a, limit_keys: [user_id], rate: 10.5/s, match: {plan: [free, pro]}}",
        "{name: a, limit_keys: ['ip:address'], rate: 5/min, match: {method: POST, path: /login}}",
        "{name: a, limit_keys: [], rate: 1000/s, match: {path: /api/search}}",
        "{name: a, limit_keys: [], rate: 1000/s, match: {path: [/a, '/b/*']}}",
        "{name: a, limit_keys: [], rate: 50000/s, burst: 100000, consistency: leased}",
        "{name: a, limit_keys: [tenant, 'user_id|ip:address'], rate: 3/s, group: g, mode: shadow}",
        "{name: a, limit_keys: [tenant], unlimited: true, match: {tenant: acme}}",
        "{name: a, limit_keys: [tenant], algorithm: sliding_window, limit: 5, window: 1m}",
        "{name: a, limit_keys: [t], limits: [{rate: 1/s, burst: 5}, {rate: 100/h, burst: 7.5}]}",
        "{name: a, limit_keys: [t], rate: 1/s, on_limit: delay, max_delay_ms: 500}",
        "{name: a, limit_keys: [t], rate: 1/s, refund_on_upstream_error: true}",
        "{name: a, limit_keys: [t], rate: 9/s, cost_source: tokens, default_cost: 2, min_cost: 1}",
        "{name: a, limit_keys: [t], rate: 9/s, fixed_cost: 0.5, on_store_failure: closed}",
        "{name: a, limit_keys: [t], algorithm: token_bucket, algorithm_config:"
            + " {tokens_per_second: 5, burst: 9, cost_source: 'header:x'}}",
        "{name: a, limit_keys: ['header:x'], rate: 1/s, on_missing_key: deny, enforce_percent: 7}",
        "{name: a, limit_keys: ['header:x'], rate: 1/s, on_repeated_key: first}",
        "{name: a, description: \"it's <b>\\\"bold\\\"</b>\", limit_keys: [t], rate: 1/s}",
        "{name: a, limit_keys: [t], rate: 1/s, match: {'ip:address': [10.0.0.0/8], host: '*.x'}}",
        "{name: a, limit_keys: [t], rate: 1/s, match: {'header:x-api-version': 1.10}}",
        "{name: a, limit_keys: [t], rate: 1/s, match: {tenant: 007, 'jwt:x': [1.10, 007, True]}}",
        "{name: a, limit_keys: [t], rate: 1/s, match: {'header:x': True, beta: True, plan: 1.0}}",
        "{name: a, limit_keys: [t], rate: 1/s, match: {'query:x': 1e900000000, plan: [007]}}",
        "{name: a, limit_keys: [t], rate: 1/s, match: {'jwt:x': 1e99999999999, plan: TRUE}}",
        "{name: 1.10, limit_keys: [007], rate: 1/s, group: 1.0, description: 1e2}",
        "{name: a, limit_keys: [t], algorithm: token_bucket, algorithm_config:"
            + " {tokens_per_second: 05.0, burst: 9, cost_source: 007}}",
      })
  void of_rule_meansTheSameAsARow(String text) {
    assertSame(document(text));
  }

  @Test
  void of_samplePolicy_meansTheSameAsRows() {
    Node sample = document(SamplePolicy.text()).value();
    List<Located<Node>> rules =
        Fields.of(new Located<>(sample, sample.at(), ""), new Problems()).list("rules");
    assertThat(rules).isNotEmpty();
    rules.forEach(RuleColumnsTest::assertSame);
  }

  @Test
  void of_seedPattern_isThatOfTheTable() {
    RuleContent content = content(document("{name: a, limit_keys: [user_id], rate: 10/s}"));
    assertThat(content.text(RuleColumn.KEY_PATTERN)).isEqualTo("user:{user_id}");
    assertThat(content.text(RuleColumn.SCOPE)).isEqualTo("user");
    assertThat(content.number(RuleColumn.RATE_PER_SECOND)).isEqualByComparingTo("10");

    content = content(document("{name: a, limit_keys: [], rate: 10/s, match: {path: /x}}"));
    assertThat(content.text(RuleColumn.KEY_PATTERN)).isEqualTo("endpoint:/x");
    assertThat(content.text(RuleColumn.SCOPE)).isEqualTo("endpoint");
    assertThat(content.text(RuleColumn.MATCH)).isEqualTo("{}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"a\\u0000b\"", "\"a\\ud800b\"", "[\"a\\u0000\"]"})
  void of_textThatCanNotBeStored_isAnErrorAtItsLocation(String bad) {
    Problems problems = new Problems();
    Node rule =
        Document.parse(
            "{\"name\":\"a\",\"limit_keys\":[\"t\"],\"rate\":\"1/s\",\"match\":{\"x\":"
                + bad
                + "}}",
            "x.json",
            problems);
    assertThat(RuleColumns.of(new Located<>(rule, rule.at(), "rule"), true, problems)).isNull();
    assertThat(problems.errors().get(0).path()).startsWith("rule.match.x");
  }

  private static void assertSame(Located<Node> written) {
    Problems problems = new Problems();
    Rule fromFile = RuleReader.read(written, problems).value();
    RuleContent content = content(written);
    Location at = Location.of("row");
    Node again = RuleDocument.of(content, at, problems);
    Rule fromRow = RuleReader.read(new Located<>(again, at, ""), problems).value();

    assertThat(problems.errors()).isEmpty();
    assertThat(withoutScope(fromRow)).isEqualTo(withoutScope(fromFile));
    assertThat(content(new Located<>(again, at, ""))).isEqualTo(content);
  }

  private static Rule withoutScope(Rule rule) {
    return rule.toBuilder()
        .match(
            new io.penstock.policy.Match(
                rule.match().conditions().stream()
                    .sorted(
                        java.util.Comparator.comparing(condition -> condition.subject().toString()))
                    .toList()))
        .scope(null)
        .build();
  }

  private static RuleContent content(Located<Node> rule) {
    Problems problems = new Problems();
    RuleContent content = RuleColumns.of(rule, true, problems);
    assertThat(problems.errors()).isEmpty();
    return content;
  }

  private static Located<Node> document(String yaml) {
    Problems problems = new Problems();
    Node node = Document.parse(yaml, "rule.yaml", problems);
    assertThat(problems.errors()).isEmpty();
    return new Located<>(node, node.at(), "");
  }

  static Stream<String> fields() {
    return RuleFields.ALL.stream().map(RuleField::name);
  }

  @ParameterizedTest
  @MethodSource("fields")
  void of_ruleWithAnyField_meansTheSameAsARow(String field) {
    List<String> rules = RuleExamples.with(field);
    assertThat(rules).isNotEmpty();
    rules.forEach(rule -> assertSame(document(rule)));
  }

  @Test
  void table_fieldsWithAColumn_areRejectedAsOptions() throws IOException {
    String array = migration("V5__any_option.sql").replaceFirst("(?s).*ARRAY\\[(.*)]\\);.*", "$1");

    assertThat(array.replaceAll("[' \n]", "").split(","))
        .containsExactlyInAnyOrder(
            Arrays.stream(RuleColumn.values())
                .map(RuleColumn::field)
                .filter(Objects::nonNull)
                .toArray(String[]::new));
  }

  private static String migration(String name) throws IOException {
    try (InputStream migration =
        Objects.requireNonNull(RuleColumns.class.getResourceAsStream("migrations/" + name))) {
      return new String(migration.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
