package io.penstock.policy.request;

import io.penstock.policy.jwt.ClaimNumber;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Reads the parts of a request in which callers choose the names of values. */
final class NamedValues {
  static final int MAX_NAME_LENGTH = 256;
  static final int MAX_VALUE_LENGTH = 65_536;

  private static final int MAX_NUMBER_LENGTH = 200;
  private static final int MAX_NAMES = 1_000;
  private static final int MAX_VALUES = 100;

  private final Fields request;
  private final Problems problems;

  NamedValues(Fields request, Problems problems) {
    this.request = request;
    this.problems = problems;
  }

  /** Reads values that may be repeated: a value, or a list of values. */
  void readLists(String field, BiConsumer<String, String> values) {
    read(field, (name, placed) -> readList(name, placed, values));
  }

  /** Reads single values as written. */
  void readSingles(String field, BiConsumer<String, String> values) {
    read(field, (name, placed) -> accept(name, value(placed), values));
  }

  /** Reads single values, with numbers in the same form as in tokens: without an exponent. */
  void readClaims(String field, BiConsumer<String, String> values) {
    read(field, (name, placed) -> accept(name, claim(placed), values));
  }

  private void read(String field, BiConsumer<String, Located<Node>> reader) {
    Fields values = request.given(field) ? request.mapping(field) : null;
    if (values == null) {
      return;
    }
    if (values.names().size() > MAX_NAMES) {
      request.error(field, "must have at most " + MAX_NAMES + " names");
      return;
    }
    for (String name : values.names()) {
      Located<Node> placed = values.given(name) ? values.placed(name) : null;
      if (name.isEmpty() || name.length() > MAX_NAME_LENGTH) {
        values.error(name, "must have a name of 1 to " + MAX_NAME_LENGTH + " characters");
      } else if (placed != null) {
        reader.accept(name, placed);
      }
    }
  }

  private void readList(String name, Located<Node> placed, BiConsumer<String, String> values) {
    if (!(placed.value() instanceof Node.Sequence sequence)) {
      accept(name, value(placed), values);
      return;
    }
    List<Node> items = sequence.items();
    if (items.size() > MAX_VALUES) {
      error(placed, "must have at most " + MAX_VALUES + " values");
      return;
    }
    for (int i = 0; i < items.size(); i++) {
      Location at = items.get(i).at();
      accept(name, value(new Located<>(items.get(i), at, placed.path() + "[" + i + "]")), values);
    }
  }

  private static void accept(
      String name, @Nullable String value, BiConsumer<String, String> values) {
    if (value != null) {
      values.accept(name, value);
    }
  }

  private @Nullable String value(Located<Node> placed) {
    if (!(placed.value() instanceof Node.Scalar scalar) || scalar.kind() == Node.NodeKind.NULL) {
      error(placed, "must be text, a number, true or false, not " + placed.value().describe());
      return null;
    }
    if (scalar.text().length() > MAX_VALUE_LENGTH) {
      error(placed, "must have at most " + MAX_VALUE_LENGTH + " characters");
      return null;
    }
    return scalar.kind() == Node.NodeKind.BOOLEAN
        ? scalar.text().toLowerCase(Locale.ROOT)
        : scalar.text();
  }

  private @Nullable String claim(Located<Node> placed) {
    String text = value(placed);
    return text != null
            && placed.value() instanceof Node.Scalar scalar
            && scalar.kind() == Node.NodeKind.NUMBER
        ? plain(text, placed)
        : text;
  }

  private @Nullable String plain(String number, Located<Node> placed) {
    String plain = number.length() <= MAX_NUMBER_LENGTH ? ClaimNumber.plain(number) : null;
    if (plain == null) {
      error(placed, "must be a number of at most " + ClaimNumber.MAX_DIGITS + " digits");
    }
    return plain;
  }

  private void error(Located<Node> placed, String message) {
    problems.error(placed.at(), placed.path(), message);
  }
}
