package io.penstock.policy.load;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema and the loader agree on each pair of fields and on each value. */
class PolicySchemaFieldsTest {
  private static final List<String> KINDS =
      List.of("text", "'7'", "''", "7", "7.5", "0", "-1", "true", "~", "[]", "[7]", "[~]", "{}");

  private static final JsonNode RULE = Schema.TREE.at("/$defs/ruleFields/properties");
  private static final String RULES = ", rules: [{name: r, limit_keys: [], rate: 1/s}]";

  static List<String> forms() {
    List<String> forms =
        new ArrayList<>(
            List.of(
                "",
                "unlimited: true",
                "rate: 5/s",
                "rate: 5/s, cost_source: w",
                "rate: 5/s, cost_source: fixed",
                "rate: 5/s, on_limit: delay",
                "limits: [{rate: 5/s}]",
                "limits: [{rate: 5/s}, {rate: 5/s}], cost_source: w",
                "algorithm_config: {rps: 5, burst: 10}",
                "algorithm_config: {tokens_per_second: 5, burst: 10}, on_limit: delay"));
    for (String algorithm : Algorithm.CHOICES.keySet()) {
      String limit = algorithm.endsWith("bucket") ? "rate: 5/s" : "limit: 5, window: 1s";
      String rate = algorithm.endsWith("bucket") ? "rps: 5" : "limit: 5, window: 1s";
      forms.add("algorithm: " + algorithm + ", " + limit);
      forms.add("algorithm: " + algorithm + ", algorithm_config: {" + rate + "}");
      forms.add("algorithm: " + algorithm + ", algorithm_config: {" + rate + ", burst: 10}");
      forms.add("limits: [{rate: 5/s}, {algorithm: " + algorithm + ", " + limit + "}]");
    }
    return forms;
  }

  @ParameterizedTest
  @MethodSource("forms")
  void validate_eachFormWithEachField_agreesWithTheLoader(String form) {
    RULE.properties()
        .forEach(
            field ->
                values(field.getKey()).forEach(value -> checkRule(form, field.getKey(), value)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "rate: 5/s", "algorithm_config: {rps: 5, burst: 10}"})
  void validate_eachFieldWithEachKindOfValue_agreesWithTheLoader(String form) {
    RULE.properties()
        .forEach(field -> KINDS.forEach(value -> checkRule(form, field.getKey(), value)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rate: 5/s, cost_source: w, default_cost: ?",
        "rate: 5/s, cost_source: w, default_cost: 9, min_cost: ?",
        "rate: 5/s, match: {' ip:address ': ?}",
        "algorithm_config: ?",
        "algorithm_config: {tokens_per_second: ?, burst: 10}",
        "algorithm_config: {rps: ?, burst: 10}",
        "algorithm_config: {rps: 1, burst: ?}",
        "algorithm_config: {rps: 5, burst: 10, cost_source: ?}",
        "algorithm_config: {rps: 5, burst: 10, fixed_cost: ?}",
        "algorithm_config: {rps: 5, burst: 10, cost_source: w, default_cost: ?}",
        "algorithm_config: {rps: 5, burst: 10, cost_source: w, default_cost: 9, min_cost: ?}",
        "algorithm: fixed_window, algorithm_config: ?",
        "algorithm: fixed_window, algorithm_config: {limit: ?, window: 1s}",
        "algorithm: fixed_window, algorithm_config: {limit: 5, window: ?}",
        "algorithm: fixed_window, algorithm_config: {window: ?}",
        "algorithm: sliding_window_log, algorithm_config: {limit: ?, window: 1s}",
        "limits: [{rate: ?}]",
        "limits: [{rate: 5/s, burst: ?}]",
        "limits: [{algorithm: fixed_window, limit: ?, window: 1s}]",
        "limits: [{algorithm: fixed_window, limit: 5, window: ?}]"
      })
  void validate_eachKindOfValueWithin_agreesWithTheLoader(String rule) {
    for (String value : KINDS) {
      checkRule(rule.replace("?", value));
    }
    for (String value : List.of("5/s", "1s", "200000", "200000.5", "w", "10.0.0.0/8")) {
      checkRule(rule.replace("?", value));
    }
  }

  private static void checkRule(String form, String field, String value) {
    if (!has(form, field)) {
      checkRule(join(form, field + ": " + value));
    }
  }

  @ParameterizedTest
  @MethodSource("forms")
  void validate_limitOfEachFormWithEachField_agreesWithTheLoader(String form) {
    for (String field : List.of("rate", "burst", "limit", "window", "algorithm", "fixed_cost")) {
      for (String value : values(field)) {
        if (!has(form, field)) {
          checkRule("limits: [{" + join(form, field + ": " + value) + "}]");
        }
      }
    }
    for (String field : List.of("rps", "tokens_per_second", "burst", "limit", "window", "rate")) {
      for (String value : List.of("5", "5s", "0", "100001", "1000000001", "1.5", "~")) {
        if (form.contains("algorithm_config: {") && !has(form, field)) {
          checkRule(form.replace("config: {", "config: {" + field + ": " + value + ", "));
        }
      }
    }
  }

  private static List<String> values(String field) {
    JsonNode schema = RULE.get(field);
    List<String> values = new ArrayList<>();
    RuleFields.ALL.stream()
        .filter(declared -> declared.name().equals(field))
        .forEach(declared -> values.addAll(declared.examples()));
    for (String bound : List.of("minimum", "maximum")) {
      if (schema.has(bound)) {
        values.add(schema.get(bound).asText());
        values.add(schema.get(bound).decimalValue().subtract(BigDecimal.ONE).toString());
        values.add(schema.get(bound).decimalValue().add(BigDecimal.ONE).toString());
      }
    }
    return values;
  }

  private static boolean has(String fields, String name) {
    return fields.matches("(.*[ {])?" + Pattern.quote(name) + ":.*");
  }

  private static String join(String form, String more) {
    return form.isEmpty() ? more : form + ", " + more;
  }

  private static void checkRule(String fields) {
    StringBuilder rule = new StringBuilder(fields);
    if (!fields.contains("name: ")) {
      rule.append(", name: r");
    }
    if (!fields.contains("limit_keys: ")) {
      rule.append(", limit_keys: []");
    }
    Schema.check("{" + rule + "}", "p.yaml");
  }

  static Stream<String> sources() {
    // The module's own pom.xml is an existing file that is long enough for a secret.
    return Stream.of(
        "secret: " + SchemaCorpus.SECRET,
        "secret: 11111111112222222222333333333344444444445555555555666666666677777777778",
        "secret_file: pom.xml",
        "public_key: " + SchemaCorpus.publicKey(),
        "jwks_file: src/test/resources/io/penstock/policy/keys.jwks",
        "jwks_url: 'HTTPS://id.example.com/keys'",
        "secret_file: pom.xml, jwks_file: pom.xml",
        "");
  }

  @ParameterizedTest
  @MethodSource("sources")
  void validate_eachSourceOfKeysWithEachField_agreesWithTheLoader(String source) {
    for (String kind : List.of("HS", "RS", "PS", "ES", "none")) {
      for (String size : List.of("256", "384", "512")) {
        checkJwt(source, "algorithms: " + kind + size);
        checkJwt(source, "algorithms: [" + kind + size + "]");
        checkJwt(source, "algorithms: [" + kind + size + ", x]");
      }
    }
    for (String field : List.of("algorithms", "issuer", "audience", "secret", "jwks_url", "x")) {
      KINDS.forEach(value -> checkJwt(source, field + ": " + value));
    }
    for (String field : List.of("leeway_seconds", "refresh_seconds")) {
      for (String value : List.of("-1", "0", "1", "1.5", "3600", "3601", "86400", "86401", "x")) {
        checkJwt(source, field + ": " + value);
      }
    }
    checkJwt(source, "audience: [a, 7, true]");
  }

  private static void checkJwt(String source, String field) {
    if (!has(source, field.substring(0, field.indexOf(':')))) {
      Schema.check("{jwt: {" + join(source, field) + "}" + RULES + "}", "p.yaml");
    }
  }

  @Test
  void validate_eachKindOfValueInEachField_agreesWithTheLoader() {
    for (String value : KINDS) {
      for (String field :
          List.of(
              "mode",
              "key_secret",
              "key_secret_file",
              "jwt",
              "client_address",
              "exempt",
              "$schema")) {
        Schema.check("{" + field + ": " + value + RULES + "}", "p.yaml");
      }
      for (String source :
          List.of(
              "secret", "secret_file", "public_key", "public_key_file", "jwks_file", "jwks_url")) {
        Schema.check("{jwt: {" + source + ": " + value + "}" + RULES + "}", "p.yaml");
      }
      Schema.check("{rules: " + value + "}", "p.yaml");
      Schema.check("{rules: " + value + ", limit_keys: [], name: r, rate: 1/s}", "p.yaml");
      Schema.check("{exempt: [{match: {a: " + value + "}}]" + RULES + "}", "p.yaml");
      Schema.check("{client_address: {trusted_proxies: " + value + "}" + RULES + "}", "p.yaml");
      Schema.check("{client_address: {header: " + value + "}" + RULES + "}", "p.yaml");
      Schema.check("{name: r, rate: 1/s, limit_keys: [a, " + value + "]}", "p.yaml");
      for (String subject : List.of("user", "path", "host", "method", "'ip:address'")) {
        checkRule("rate: 1/s, match: {" + subject + ": " + value + "}");
        checkRule("rate: 1/s, match: {" + subject + ": [" + value + "]}");
      }
    }
  }

  @Test
  void validate_wordsAndBounds_agreeWithTheLoader() {
    for (String header :
        List.of("x-forwarded-for", "forwarded", "x-real-ip", "cf-connecting-ip", "x")) {
      Schema.check("{client_address: {header: " + header + "}" + RULES + "}", "p.yaml");
    }
    for (int count : new int[] {1, 10, 11}) {
      checkRule("limits: [" + "{rate: 1/s}, ".repeat(count) + "]");
    }
    Schema.check("{key_secret_file: pom.xml" + RULES + "}", "p.yaml");
    Schema.check("{key_secret_file: pom.xml, key_secret: x" + RULES + "}", "p.yaml");
  }
}
