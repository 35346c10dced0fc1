package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.regex.RegularExpression;
import io.penstock.policy.PolicySchema;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Pattern;

/** The schema of policies, applied to the same documents that the loader reads. */
final class Schema {
  static final JsonNode TREE = tree(PolicySchema.text());

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
          .getSchema(
              TREE,
              SchemaValidatorsConfig.builder()
                  .regularExpressionFactory(Schema::expression)
                  .build());

  private Schema() {}

  /**
   * In schema patterns, $ matches only the very end; in Java, also before a final line terminator.
   */
  private static RegularExpression expression(String pattern) {
    Pattern compiled = Pattern.compile(pattern.replace("$", "\\z"));
    return text -> compiled.matcher(text).find();
  }

  static JsonNode tree(String json) {
    try {
      return new ObjectMapper().readTree(json);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the schema errors of a well-formed text. */
  static List<String> errors(String text, String name) {
    return SCHEMA.validate(json(document(text, name))).stream()
        .map(ValidationMessage::toString)
        .toList();
  }

  /**
   * Checks that the schema accepts a policy that the loader accepts. If the schema accepts a policy
   * that the loader rejects, checks that a schema can't express the errors.
   */
  static void check(String text, String name) {
    List<Problem> problems = Loading.problems(text, name);
    List<String> errors = errors(text, name);
    if (problems.isEmpty()) {
      assertThat(errors).as("the loader accepts %s", text).isEmpty();
    }
    if (errors.isEmpty()) {
      assertThat(problems).as("the schema accepts %s", text).allMatch(BeyondSchema::covers);
    }
  }

  static Node document(String text, String name) {
    Problems problems = new Problems();
    Node document = Document.parse(text, name, problems);
    if (document == null) {
      throw new IllegalArgumentException(problems.errors() + " in " + text);
    }
    return document;
  }

  /** Returns a text as a JSON string. */
  static String quoted(String text) {
    return NODES.textNode(text).toString();
  }

  static JsonNode json(Node node) {
    if (node instanceof Node.Scalar scalar) {
      return switch (scalar.kind()) {
        case TEXT -> NODES.textNode(scalar.text());
        case NUMBER -> DecimalNode.valueOf(new BigDecimal(scalar.text()));
        case BOOLEAN -> NODES.booleanNode(Boolean.parseBoolean(scalar.text()));
        case NULL -> NODES.nullNode();
      };
    }
    if (node instanceof Node.Sequence sequence) {
      ArrayNode items = NODES.arrayNode();
      sequence.items().forEach(item -> items.add(json(item)));
      return items;
    }
    ObjectNode fields = NODES.objectNode();
    ((Node.Mapping) node).entries().forEach((name, entry) -> fields.set(name, json(entry.value())));
    return fields;
  }
}
