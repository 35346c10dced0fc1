package io.penstock.policy.load;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a mapping, asked for by name and type. What is not as asked for becomes a problem
 * at its place, and the answer is as if the field were not there. Not thread-safe.
 *
 * <p>Call {@link #done} last: every field that nobody asked for is an error then.
 */
public final class Fields {
  private final Node.Mapping mapping;
  private final String path;
  private final Problems problems;
  private final List<String> known = new ArrayList<>();

  private Fields(Node.Mapping mapping, String path, Problems problems) {
    this.mapping = mapping;
    this.path = path;
    this.problems = problems;
  }

  /** The fields of {@code node}; null if it is no mapping, which is an error. */
  public static @Nullable Fields of(Located<Node> node, Problems problems) {
    if (node.value() instanceof Node.Mapping mapping) {
      return new Fields(mapping, node.path(), problems);
    }
    problems.error(node.at(), node.path(), "must be a mapping, not " + node.value().what());
    return null;
  }

  /** Where the mapping begins. */
  public Location at() {
    return mapping.at();
  }

  /** The path of a field. */
  public String path(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** All names that are there, in the order written, asked for or not. */
  public Set<String> names() {
    return mapping.entries().keySet();
  }

  public boolean has(String name) {
    return node(name) != null;
  }

  /** Whether a field is there and is not null. */
  public boolean given(String name) {
    Node node = node(name);
    return node != null
        && !(node instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.NULL);
  }

  public @Nullable Node node(String name) {
    known.add(name);
    Node.NodeField entry = mapping.entries().get(name);
    return entry == null ? null : entry.value();
  }

  /** A field that is there, with its place. */
  public @Nullable Located<Node> placed(String name) {
    Node node = node(name);
    return node == null ? null : new Located<>(node, node.at(), path(name));
  }

  /** A single value as it was written, of whatever kind. */
  public @Nullable String text(String name) {
    Located<Node> placed = placed(name);
    return placed == null ? null : text(placed);
  }

  /** What {@code parser} makes of a text; its {@link IllegalArgumentException} is an error here. */
  public <T> @Nullable T text(String name, Function<String, T> parser) {
    String text = text(name);
    return text == null ? null : parsed(name, text, parser);
  }

  /** A number with all its digits. */
  public @Nullable BigDecimal number(String name) {
    return number(name, Function.identity());
  }

  /** What {@code parser} makes of a number; its {@link IllegalArgumentException} is an error. */
  public <T> @Nullable T number(String name, Function<BigDecimal, T> parser) {
    Node node = node(name);
    if (node == null) {
      return null;
    }
    if (node instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.NUMBER) {
      return parsed(name, scalar.text(), parser.compose(Decimals::parse));
    }
    error(name, "must be a number, not " + described(node));
    return null;
  }

  /** A whole number within bounds, or {@code otherwise}. */
  public int whole(String name, int least, int most, int otherwise) {
    String rule = "must be a whole number from " + least + " to " + most + ": ";
    Integer number =
        number(
            name,
            value -> {
              if (value.compareTo(BigDecimal.valueOf(least)) < 0
                  || value.compareTo(BigDecimal.valueOf(most)) > 0
                  || value.stripTrailingZeros().scale() > 0) {
                throw new IllegalArgumentException(rule + value.toPlainString());
              }
              return value.intValueExact();
            });
    return number == null ? otherwise : number;
  }

  /** A length of time from nothing on, such as {@code 100ms} or {@code 2m}. */
  public @Nullable Duration time(String name) {
    return text(name, Periods::parseFromZero);
  }

  /** Whether a field is {@code true}. */
  public boolean flag(String name) {
    Node node = node(name);
    if (node == null) {
      return false;
    }
    if (node instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.BOOLEAN) {
      return Boolean.parseBoolean(scalar.text());
    }
    error(name, "must be true or false, not " + described(node));
    return false;
  }

  /** One of some words. */
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

  /** One of some words, or {@code otherwise}. */
  public <E> E choice(String name, Map<String, E> choices, E otherwise) {
    E choice = choice(name, choices);
    return choice == null ? otherwise : choice;
  }

  /** The items of a list with their places; null if there is none. */
  public @Nullable List<Located<Node>> list(String name) {
    Node node = node(name);
    if (node == null) {
      return null;
    }
    if (!(node instanceof Node.Sequence sequence)) {
      error(name, "must be a list, in brackets, not " + described(node));
      return null;
    }
    List<Located<Node>> items = new ArrayList<>(sequence.items().size());
    for (Node item : sequence.items()) {
      items.add(new Located<>(item, item.at(), path(name) + "[" + items.size() + "]"));
    }
    return items;
  }

  /** A mapping within; null if there is none. */
  public @Nullable Fields mapping(String name) {
    Located<Node> placed = placed(name);
    return placed == null ? null : of(placed, problems);
  }

  /** A single value as it was written; null, and an error, if it is none. */
  @Nullable String text(Located<Node> placed) {
    if (placed.value() instanceof Node.Scalar scalar && scalar.kind() != Node.NodeKind.NULL) {
      return scalar.text();
    }
    problems.error(
        placed.at(), placed.path(), "must be a single value, not " + placed.value().what());
    return null;
  }

  /** It is an error if a field is missing. */
  public boolean require(String name) {
    if (has(name)) {
      return true;
    }
    problems.error(at(), path(name), "is required");
    return false;
  }

  /** It is an error if a field is there. */
  public void reject(String name, String why) {
    known.add(name);
    Node.NodeField entry = mapping.entries().get(name);
    if (entry != null) {
      problems.error(entry.at(), path(name), why);
    }
  }

  /** Adds an error at the field's value, or at the mapping if the field is missing. */
  public void error(String name, String message) {
    problems.error(place(name), path(name), message);
  }

  /** Adds a warning at the field's value, or at the mapping if the field is missing. */
  public void warning(String name, String message) {
    problems.warning(place(name), path(name), message);
  }

  /** Adds what a constructor said to a field's value. */
  public void refused(String name, IllegalArgumentException e) {
    String message = String.valueOf(e.getMessage());
    boolean isAboutTheWhole = message.startsWith(name + " must ");
    error(name, isAboutTheWhole ? message.substring(name.length() + 1) : message);
  }

  /** Names that would be right, whether or not anybody asks for them. */
  public void knows(Collection<String> names) {
    known.addAll(names);
  }

  /** It is an error if there is a field that nobody asked for. */
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

  /** A name without a value may be a part of an unquoted secret: it isn't repeated. */
  private void unknown(String name, Node.NodeField entry) {
    String hint = problems.isFull() ? "" : Suggestions.hint(name, known);
    String begin = name.substring(0, Math.max(0, name.indexOf(':')));
    if (known.contains(begin)) {
      problems.error(entry.at(), path(begin), "must have a space after the colon");
    } else if (entry.value() instanceof Node.Scalar scalar && scalar.text().isEmpty()) {
      String advice = "has an unknown field without a value; quote text that contains a , or :";
      problems.error(entry.at(), path, advice + hint);
    } else {
      problems.error(entry.at(), path(name), "is no known field" + hint);
    }
  }

  private <T> @Nullable T parsed(String name, String text, Function<String, T> parser) {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      refused(name, e);
      return null;
    }
  }

  private Location place(String name) {
    Node.NodeField entry = mapping.entries().get(name);
    return entry == null ? at() : entry.value().at();
  }

  private static String described(Node node) {
    return node instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.TEXT
        ? "text: " + scalar.text()
        : node.what();
  }
}
