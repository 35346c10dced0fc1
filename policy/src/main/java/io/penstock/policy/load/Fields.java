package io.penstock.policy.load;

import io.penstock.InvalidValueException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a mapping by name and type. Invalid values are reported as problems at their
 * location and treated as missing. Not thread-safe.
 *
 * <p>Call {@link #done} last. It reports every field that was not read as unknown.
 */
public final class Fields {
  private final Node.Mapping mapping;
  private final String path;
  private final Problems problems;
  private final Set<String> known;

  private Fields(Node.Mapping mapping, String path, Problems problems, Set<String> known) {
    this.mapping = mapping;
    this.path = path;
    this.problems = problems;
    this.known = known;
  }

  /**
   * Returns the fields of {@code node}. Reports an error and returns null if it is not a mapping.
   */
  public static @Nullable Fields of(Located<Node> node, Problems problems) {
    return of(node, problems, new LinkedHashSet<>());
  }

  /**
   * Like {@link #of(Located, Problems)}, for a mapping whose fields are all known in advance.
   *
   * @param known the names of all fields that are read
   */
  public static @Nullable Fields of(Located<Node> node, Problems problems, Set<String> known) {
    if (node.value() instanceof Node.Mapping mapping) {
      return new Fields(mapping, node.path(), problems, known);
    }
    problems.error(node.at(), node.path(), "must be a mapping, not " + node.value().describe());
    return null;
  }

  /** Returns the location of the mapping. */
  public Location at() {
    return mapping.at();
  }

  /** Returns where errors are reported. */
  Problems problems() {
    return problems;
  }

  /** Returns the path of a field. */
  public String path(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Returns the names of all fields in the order written, read or not. */
  public Set<String> names() {
    return mapping.entries().keySet();
  }

  /** Calls {@code action} for each field in the order written, without reading it. */
  public void forEach(BiConsumer<String, Located<Node>> action) {
    mapping
        .entries()
        .forEach(
            (name, entry) ->
                action.accept(name, new Located<>(entry.value(), entry.value().at(), path(name))));
  }

  /** Returns whether a field was read, or declared as known. */
  public boolean isKnown(String name) {
    return known.contains(name);
  }

  public boolean has(String name) {
    return node(name) != null;
  }

  /** Returns whether a field is present and not null. */
  public boolean given(String name) {
    Node node = node(name);
    return node != null && !node.isNull();
  }

  public @Nullable Node node(String name) {
    if (!known.contains(name)) {
      known.add(name);
    }
    Node.NodeField entry = mapping.entries().get(name);
    return entry == null ? null : entry.value();
  }

  /** Returns a field with its location, or null if it is missing. */
  public @Nullable Located<Node> located(String name) {
    Node node = node(name);
    return node == null ? null : new Located<>(node, node.at(), path(name));
  }

  /** Returns a scalar of any kind as written. */
  public @Nullable String text(String name) {
    Located<Node> located = located(name);
    return located == null ? null : text(located);
  }

  /**
   * Returns the result of {@code parser} for a text. An {@link IllegalArgumentException} of the
   * parser is reported as an error.
   */
  public <T> @Nullable T text(String name, Function<String, T> parser) {
    String text = text(name);
    return text == null ? null : parsed(name, text, parser);
  }

  /** Returns a number with all its digits. */
  public @Nullable BigDecimal number(String name) {
    return number(name, Function.identity());
  }

  /**
   * Returns the result of {@code parser} for a number. An {@link IllegalArgumentException} of the
   * parser is reported as an error.
   */
  public <T> @Nullable T number(String name, Function<BigDecimal, T> parser) {
    Node node = node(name);
    if (node == null) {
      return null;
    }
    if (node instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.NUMBER) {
      return parsed(name, scalar.text(), parser.compose(Decimals::parse));
    }
    error(name, "must be a number, not " + describe(node));
    return null;
  }

  /**
   * Returns a whole number within bounds, or {@code defaultValue} if the field is missing or
   * invalid.
   */
  public int whole(String name, int min, int max, int defaultValue) {
    Integer number = whole(name, min, max);
    return number == null ? defaultValue : number;
  }

  /** Returns a whole number within bounds. */
  @Nullable Integer whole(String name, int min, int max) {
    String rule = "must be a whole number from " + min + " to " + max + ": ";
    return number(
        name,
        value -> {
          if (value.compareTo(BigDecimal.valueOf(min)) < 0
              || value.compareTo(BigDecimal.valueOf(max)) > 0
              || value.stripTrailingZeros().scale() > 0) {
            throw new IllegalArgumentException(rule + value.toPlainString());
          }
          return value.intValueExact();
        });
  }

  /** Returns a duration, such as {@code 100ms} or {@code 2m}. It may be zero. */
  public @Nullable Duration time(String name) {
    return text(name, Periods::parseFromZero);
  }

  /** Returns whether a field is {@code true}. */
  public boolean flag(String name) {
    Node node = node(name);
    if (node == null) {
      return false;
    }
    if (node instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.BOOLEAN) {
      return Boolean.parseBoolean(scalar.text());
    }
    error(name, "must be true or false, not " + describe(node));
    return false;
  }

  /** Returns the constant for one of the allowed values. */
  public <E> @Nullable E choice(String name, Map<String, E> choices) {
    String text = text(name);
    if (text == null) {
      return null;
    }
    E choice = choices.get(text);
    if (choice == null) {
      error(
          name,
          "must be "
              + String.join(" | ", choices.keySet())
              + ": "
              + text
              + Suggestions.hint(text, choices.keySet()));
    }
    return choice;
  }

  /**
   * Returns the constant for one of the allowed values, or {@code defaultValue} if the field is
   * missing or invalid.
   */
  public <E> E choice(String name, Map<String, E> choices, E defaultValue) {
    E choice = choice(name, choices);
    return choice == null ? defaultValue : choice;
  }

  /** Returns the items of a list with their locations; null if there is none. */
  public @Nullable List<Located<Node>> list(String name) {
    Node node = node(name);
    if (node == null) {
      return null;
    }
    if (!(node instanceof Node.Sequence sequence)) {
      error(name, "must be a list, in brackets, not " + describe(node));
      return null;
    }
    List<Located<Node>> items = new ArrayList<>(sequence.items().size());
    for (Node item : sequence.items()) {
      items.add(new Located<>(item, item.at(), path(name) + "[" + items.size() + "]"));
    }
    return items;
  }

  /** Returns a nested mapping; null if there is none. */
  public @Nullable Fields mapping(String name) {
    Located<Node> located = located(name);
    return located == null ? null : of(located, problems);
  }

  /** Returns a scalar as written. Reports an error and returns null if the node is not a scalar. */
  @Nullable String text(Located<Node> located) {
    if (located.value() instanceof Node.Scalar scalar && scalar.kind() != Node.NodeKind.NULL) {
      return scalar.text();
    }
    problems.error(
        located.at(), located.path(), "must be a single value, not " + located.value().describe());
    return null;
  }

  /** Reports an error and returns false if a field is missing. */
  public boolean require(String name) {
    if (has(name)) {
      return true;
    }
    problems.error(at(), path(name), "is required");
    return false;
  }

  /** Reports an error if a field is present. */
  public void reject(String name, String message) {
    known.add(name);
    Node.NodeField entry = mapping.entries().get(name);
    if (entry != null) {
      problems.error(entry.at(), path(name), message);
    }
  }

  /** Adds an error at the field's value, or at the mapping if the field is missing. */
  public void error(String name, String message) {
    problems.error(locationOf(name), path(name), message);
  }

  /** Adds a warning at the field's value, or at the mapping if the field is missing. */
  public void warning(String name, String message) {
    problems.warning(locationOf(name), path(name), message);
  }

  /** Reports the exception of a parser or constructor as an error of a field. */
  public void invalid(String name, IllegalArgumentException e) {
    if (e instanceof InvalidValueException invalid && invalid.name().equals(name)) {
      error(name, invalid.constraint());
    } else {
      error(name, String.valueOf(e.getMessage()));
    }
  }

  /** Declares names as known, whether or not they are read. */
  public void declareKnown(Collection<String> names) {
    known.addAll(names);
  }

  /** Reports an error for each unknown field. */
  public void done() {
    mapping
        .entries()
        .forEach(
            (name, entry) -> {
              if (!known.contains(name)) {
                unknown(name, entry);
              }
            });
  }

  /** A name without a value may be a part of an unquoted secret, so it is not quoted. */
  private void unknown(String name, Node.NodeField entry) {
    String hint = problems.isFull() ? "" : Suggestions.ofField(name, known);
    String prefix = name.substring(0, Math.max(0, name.indexOf(':')));
    if (known.contains(prefix)) {
      problems.error(entry.at(), path(prefix), "must have a space after the colon");
    } else if (entry.value() instanceof Node.Scalar scalar && scalar.text().isEmpty()) {
      String advice = "has an unknown field without a value; quote text that contains a , or :";
      problems.error(entry.at(), path, advice + hint);
    } else {
      problems.error(entry.at(), path(name), "unknown field" + hint);
    }
  }

  private <T> @Nullable T parsed(String name, String text, Function<String, T> parser) {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      invalid(name, e);
      return null;
    }
  }

  private Location locationOf(String name) {
    Node.NodeField entry = mapping.entries().get(name);
    return entry == null ? at() : entry.value().at();
  }

  private static String describe(Node node) {
    return node instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.TEXT
        ? "text: " + scalar.text()
        : node.describe();
  }
}
