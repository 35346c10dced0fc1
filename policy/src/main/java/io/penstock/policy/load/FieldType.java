package io.penstock.policy.load;

import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The type of a rule field: how a value is read, and what it looks like in the JSON Schema and in
 * the API. Immutable.
 *
 * @param schema the keywords of the JSON Schema
 * @param apiSchema the keywords of the OpenAPI schema
 * @param examples valid values, as written in a policy
 * @param isText whether scalars without quotes are text, so that {@code 007} is not a number
 * @param reader reads the field of this name; returns null if it is invalid
 */
record FieldType<T>(
    Map<String, Object> schema,
    Map<String, Object> apiSchema,
    List<String> examples,
    boolean isText,
    BiFunction<Fields, String, @Nullable T> reader) {

  static final FieldType<Boolean> FLAG =
      scalar(Map.of("type", "boolean"), List.of("true"), Fields::flag);

  static final FieldType<String> TEXT = text("text", List.of("x"), Fields::text);

  /** The name of a rule or group, or a label with the same characters. */
  static final FieldType<String> NAME =
      text("name", List.of("x"), (fields, name) -> fields.text(name, Names::checked));

  static final FieldType<List<KeyPart>> KEYS =
      new FieldType<>(
          defined("limitKeys"),
          ordered("type", "array", "items", Map.of("type", "string")),
          List.of("[user_id]"),
          true,
          (fields, name) -> KeysReader.read(fields));

  static final FieldType<Match> MATCH =
      new FieldType<>(
          defined("match"),
          ordered("type", "object", "additionalProperties", Map.of("type", "string")),
          List.of("{path: /x}"),
          false,
          (fields, name) -> MatchReader.read(fields));

  static FieldType<Integer> whole(int min, int max) {
    return scalar(
        ordered("type", "integer", "minimum", min, "maximum", max),
        List.of(Integer.toString(min)),
        (fields, name) -> fields.whole(name, min, max));
  }

  static <E> FieldType<E> choice(Map<String, E> choices) {
    List<String> words = List.copyOf(choices.keySet());
    return scalar(Map.of("enum", words), words, (fields, name) -> fields.choice(name, choices));
  }

  /**
   * A type that a reader of several fields handles, such as {@link LimitsReader}.
   *
   * @param definition the name of its definition in the JSON Schema
   */
  static FieldType<Object> joint(String definition, String... examples) {
    return new FieldType<>(
        defined(definition), Map.of(), List.of(examples), false, (fields, name) -> null);
  }

  /** A text that a reader of several fields handles. */
  static FieldType<String> jointText(String definition, String... examples) {
    return text(definition, List.of(examples), (fields, name) -> null);
  }

  private static <T> FieldType<T> scalar(
      Map<String, Object> schema,
      List<String> examples,
      BiFunction<Fields, String, @Nullable T> reader) {
    return new FieldType<>(schema, schema, examples, false, reader);
  }

  private static FieldType<String> text(
      String definition,
      List<String> examples,
      BiFunction<Fields, String, @Nullable String> reader) {
    return new FieldType<>(defined(definition), Map.of("type", "string"), examples, true, reader);
  }

  private static Map<String, Object> defined(String definition) {
    return Map.of("$ref", "#/$defs/" + definition);
  }

  /** Returns a map that keeps the order of its entries, which are names followed by values. */
  static Map<String, Object> ordered(Object... entries) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < entries.length; i += 2) {
      map.put((String) entries[i], entries[i + 1]);
    }
    return map;
  }
}
