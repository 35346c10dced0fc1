package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import io.penstock.policy.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The schema and the loader agree on each field, one by one. */
class PolicySchemaTest {
  private static final JsonNode RULE = Schema.TREE.at("/$defs/ruleFields/properties");

  static Stream<String> good() {
    return Stream.concat(
        SchemaCorpus.POLICIES.stream(), SchemaCorpus.RULES.stream().map(SchemaCorpus::policyOf));
  }

  static Stream<String> bad() {
    return Stream.concat(
        SchemaCorpus.BAD_POLICIES.stream(),
        SchemaCorpus.BAD_RULES.stream().map(SchemaCorpus::policyOf));
  }

  static Stream<String> beyond() {
    return Stream.of(
            SchemaCorpus.BEYOND_POLICIES.stream(),
            SchemaCorpus.BEYOND_RULES.stream().map(SchemaCorpus::policyOf),
            Stream.of("{jwt: {algorithms: RS256, public_key: " + SchemaCorpus.publicKey() + "}}"))
        .flatMap(yaml -> yaml);
  }

  @ParameterizedTest
  @MethodSource("good")
  void validate_goodPolicy_isAcceptedByBoth(String yaml) {
    assertThat(Loading.errors(yaml)).isEmpty();
    assertThat(Schema.errors(yaml, "p.yaml")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("bad")
  void validate_wrongShape_isRejectedByBoth(String yaml) {
    assertThat(Loading.errors(yaml)).isNotEmpty();
    assertThat(Schema.errors(yaml, "p.yaml")).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("beyond")
  void validate_errorsBeyondASchema_areReportedByTheLoader(String yaml) {
    assertThat(Loading.problems(yaml)).isNotEmpty().allMatch(BeyondSchema::covers);
    assertThat(Schema.errors(yaml, "p.yaml")).isEmpty();
  }

  @Test
  void beyond_eachReason_hasAnExample() {
    List<Problem> problems = beyond().flatMap(yaml -> Loading.problems(yaml).stream()).toList();

    assertThat(BeyondSchema.unusedBy(problems)).isEmpty();
  }

  @Test
  void schema_byItsOwnMetaSchema_isValid() {
    assertThat(
            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"))
                .validate(Schema.TREE))
        .isEmpty();
  }

  @Test
  void modes_ofSchema_areThoseOfTheLoader() {
    Set<String> modes = new TreeSet<>();
    Schema.TREE.at("/$defs/mode/enum").forEach(item -> modes.add(item.asText()));

    assertThat(modes).isEqualTo(RuleFields.MODES.keySet());
  }

  @Test
  void fields_ofSchema_areKnownToTheLoaderAndDescribed() {
    List<String> undescribed = new ArrayList<>();
    for (String of :
        List.of("policy", "ruleFields", "limit", "algorithmConfig", "verifiedTokens")) {
      Schema.TREE
          .at("/$defs/" + of + "/properties")
          .properties()
          .forEach(
              field -> {
                if (!isDescribed(field.getValue())) {
                  undescribed.add(of + "." + field.getKey());
                }
              });
    }
    assertThat(undescribed).isEmpty();
  }

  private static boolean isDescribed(JsonNode field) {
    String ref = field.path("$ref").asText();
    return field.has("description")
        || (!ref.isEmpty() && Schema.TREE.at(ref.substring(1)).has("description"));
  }

  static Stream<String> fieldsWithDefault() {
    return RuleFields.ALL.stream()
        .map(RuleField::name)
        .filter(field -> RULE.get(field).has("default"));
  }

  @ParameterizedTest
  @MethodSource("fieldsWithDefault")
  void default_ofARulesField_isWhatTheLoaderTakes(String field) {
    String fields =
        switch (field) {
          case "default_cost" -> "rate: 5/s, cost_source: w";
          case "max_delay_ms" -> "rate: 5/s, on_limit: delay";
          default -> "rate: 5/s";
        };
    Rule stated = Loading.plain(fields + ", " + field + ": " + RULE.get(field).get("default"));

    assertThat(stated).isEqualTo(Loading.plain(fields));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "policy; mode; a: b; a: b",
        "policy; exempt; a: b; a: b",
        "clientAddress; header; client_address: {; client_address: {}",
        "clientAddress; ipv6_prefix; client_address: {; client_address: {}",
        "clientAddress; trusted_proxies; client_address: {; client_address: {}",
        "pathSettings; encoded_slashes; paths: {; paths: {}",
        "pathSettings; parameters; paths: {; paths: {}",
        "pathSettings; case; paths: {; paths: {}",
        "pathSettings; trailing_dots; paths: {; paths: {}",
        "pathSettings; trailing_slash; paths: {; paths: {}",
        "verifiedTokens; leeway_seconds; jwt: {secret: SECRET, ; jwt: {secret: SECRET}",
        "verifiedTokens; refresh_seconds; jwt: {jwks_url: 'https://a/b', ;"
            + " jwt: {jwks_url: 'https://a/b'}"
      })
  void default_ofAPolicysField_isWhatTheLoaderTakes(
      String of, String field, String open, String without) {
    String value = Schema.TREE.at("/$defs/" + of + "/properties/" + field + "/default").toString();
    boolean isTop = open.equals("a: b");
    String stated = isTop ? field + ": " + value : open + field + ": " + value + "}";

    assertThat(Loading.policy(withRule(stated)))
        .isEqualTo(Loading.policy(withRule(isTop ? "mode: enforce" : without)));
  }

  private static String withRule(String section) {
    return section.replace("SECRET", SchemaCorpus.SECRET)
        + "\nrules: [{name: r, limit_keys: [], rate: 1/s}]\n";
  }
}
