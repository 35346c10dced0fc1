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
    read(field, (name, located) -> readList(name, located, values));
  }

  /** Reads single values as written. */
  void readSingles(String field, BiConsumer<String, String> values) {
    read(field, (name, located) -> accept(name, value(located), values));
  }

  /** Reads single values, with numbers in the same form as in tokens: without an exponent. */
  void readClaims(String field, BiConsumer<String, String> values) {
    read(field, (name, located) -> accept(name, claim(located), values));
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
    values.forEach(
        (name, located) -> {
          if (name.isEmpty() || name.length() > MAX_NAME_LENGTH) {
            values.error(name, "must have a name of 1 to " + MAX_NAME_LENGTH + " characters");
          } else if (!located.value().isNull()) {
            reader.accept(name, located);
          }
        });
  }

  private void readList(String name, Located<Node> located, BiConsumer<String, String> values) {
    if (!(located.value() instanceof Node.Sequence sequence)) {
      accept(name, value(located), values);
      return;
    }
    List<Node> items = sequence.items();
    if (items.size() > MAX_VALUES) {
      error(located, "must have at most " + MAX_VALUES + " values");
      return;
    }
    for (int i = 0; i < items.size(); i++) {
      Location at = items.get(i).at();
      accept(name, value(new Located<>(items.get(i), at, located.path() + "[" + i + "]")), values);
    }
  }

  private static void accept(
      String name, @Nullable String value, BiConsumer<String, String> values) {
    if (value != null) {
      values.accept(name, value);
    }
  }

  private @Nullable String value(Located<Node> located) {
    if (!(located.value() instanceof Node.Scalar scalar) || scalar.kind() == Node.NodeKind.NULL) {
      error(located, "must be text, a number, true or false, not " + located.value().describe());
      return null;
    }
    if (scalar.text().length() > MAX_VALUE_LENGTH) {
      error(located, "must have at most " + MAX_VALUE_LENGTH + " characters");
      return null;
    }
    return scalar.kind() == Node.NodeKind.BOOLEAN
        ? scalar.text().toLowerCase(Locale.ROOT)
        : scalar.text();
  }

  private @Nullable String claim(Located<Node> located) {
    String text = value(located);
    return text != null
            && located.value() instanceof Node.Scalar scalar
            && scalar.kind() == Node.NodeKind.NUMBER
        ? plain(text, located)
        : text;
  }

  private @Nullable String plain(String number, Located<Node> located) {
    String plain = number.length() <= MAX_NUMBER_LENGTH ? ClaimNumber.plain(number) : null;
    if (plain == null) {
      error(located, "must be a number of at most " + ClaimNumber.MAX_DIGITS + " digits");
    }
    return plain;
  }

  private void error(Located<Node> located, String message) {
    problems.error(located.at(), located.path(), message);
  }
}
