package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.Condition;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import io.penstock.policy.Pattern;
import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.IpAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** Reads the conditions of a rule. */
final class MatchReader {
  /** A method and a path, or a path. */
  private static final java.util.regex.Pattern REQUEST =
      java.util.regex.Pattern.compile("(?:([A-Z]+) )?(/\\S*)");

  private final Fields match;
  private final Problems problems;

  private MatchReader(Fields match) {
    this.match = match;
    this.problems = match.problems();
  }

  /** Returns the conditions of {@code match} in {@code fields}; any request if there are none. */
  static Match read(Fields fields) {
    Located<Node> written = fields.located("match");
    if (written != null
        && written.value() instanceof Node.Scalar scalar
        && scalar.kind() == Node.NodeKind.TEXT) {
      fields.error("match", "must be a mapping: " + meant(scalar.text()));
      return Match.ANY;
    }
    Fields match = written == null ? null : Fields.of(texts(written), fields.problems());
    return match == null ? Match.ANY : new MatchReader(match).read();
  }

  /** Returns the conditions that were probably meant by a text. */
  private static String meant(String text) {
    Matcher request = REQUEST.matcher(text);
    if (!request.matches()) {
      return "{method: POST, path: /login}, for example";
    }
    String method = request.group(1);
    return "{"
        + (method == null ? "" : "method: " + method + ", ")
        + "path: "
        + request.group(2)
        + "}";
  }

  private static Located<Node> texts(Located<Node> match) {
    return match.value() instanceof Node.Mapping mapping
        ? new Located<>(MatchTexts.of(mapping), match.at(), match.path())
        : match;
  }

  private Match read() {
    List<Condition> conditions = new ArrayList<>();
    for (String name : match.names()) {
      KeyPart subject = subject(name);
      List<Located<String>> values = values(name);
      if (subject == null || values.isEmpty()) {
        continue;
      }
      if (conditions.stream().anyMatch(other -> other.subject().equals(subject))) {
        match.error(name, "duplicates a condition; list all values in one condition");
      }
      ValueCheck.check(subject, values, problems);
      conditions.add(condition(subject, values));
    }
    return new Match(conditions);
  }

  private @Nullable KeyPart subject(String name) {
    try {
      KeyPart subject = KeyPart.parse(name);
      if (subject.alternatives().size() > 1
          && subject.alternatives().stream().anyMatch(MatchReader::hasSpecialSyntax)) {
        match.error(name, "ip:address, path, method and host can't be alternatives in a match");
        return null;
      }
      return subject;
    } catch (IllegalArgumentException e) {
      match.error(name, e.getMessage() + BuiltInNames.hint(name));
      return null;
    }
  }

  private static boolean hasSpecialSyntax(Attribute attribute) {
    return attribute.source().isRoute() || attribute.source() == Attribute.AttributeSource.ADDRESS;
  }

  private List<Located<String>> values(String name) {
    Located<Node> value = match.located(name);
    List<Located<Node>> written =
        value != null && value.value() instanceof Node.Sequence ? match.list(name) : null;
    if (written != null && written.isEmpty()) {
      match.error(name, "must be a value or a list of at least one");
    }
    List<Located<String>> values = new ArrayList<>();
    for (Located<Node> item : written != null ? written : listOf(value)) {
      String text = match.text(item);
      if (text != null && text.isEmpty()) {
        problems.error(item.at(), item.path(), "must not be empty: nothing ever matches it");
      } else if (text != null) {
        values.add(new Located<>(text, item.at(), item.path()));
      }
    }
    return values;
  }

  private static List<Located<Node>> listOf(@Nullable Located<Node> value) {
    return value == null ? List.of() : List.of(value);
  }

  private Condition condition(KeyPart subject, List<Located<String>> values) {
    return switch (subject.alternatives().get(0).source()) {
      case ADDRESS -> new Condition.Within(subject, all(values, MatchReader::network));
      case PATH -> new Condition.Like(subject, all(values, MatchReader::path));
      case HOST ->
          new Condition.Like(
              subject, all(values, text -> new Pattern(text.toLowerCase(Locale.ROOT))));
      case METHOD ->
          new Condition.OneOf(subject, new LinkedHashSet<>(all(values, HttpMethods::parse)));
      default -> new Condition.OneOf(subject, new LinkedHashSet<>(all(values, text -> text)));
    };
  }

  private <T> List<T> all(List<Located<String>> values, Function<String, T> parser) {
    List<T> parsed = new ArrayList<>();
    for (Located<String> value : values) {
      try {
        parsed.add(parser.apply(value.value()));
      } catch (IllegalArgumentException e) {
        problems.error(value.at(), value.path(), String.valueOf(e.getMessage()));
      }
    }
    return parsed;
  }

  private static Pattern path(String text) {
    String error = PathSyntax.error(text);
    if (error != null) {
      throw new IllegalArgumentException(error);
    }
    if (!text.startsWith("/") && !text.startsWith("*")) {
      throw new IllegalArgumentException("must begin with / or *: " + text);
    }
    return new Pattern(text);
  }

  /** Parses an address or network. */
  static Cidr network(String text) {
    Cidr network = Cidr.parse(text);
    if (network == null) {
      throw new IllegalArgumentException(
          "must be an address or network such as 10.0.0.0/8 or 2001:db8::/32: "
              + text
              + prefixHint(text));
    }
    int slash = text.indexOf('/');
    if (slash >= 0 && !network.address().equals(firstOf(text.substring(0, slash)))) {
      throw new IllegalArgumentException(
          "must not have bits beyond its prefix: " + text + "; did you mean " + network + "?");
    }
    return network;
  }

  private static @Nullable IpAddress firstOf(String text) {
    Cidr single = Cidr.parse(text);
    return single == null ? null : single.address();
  }

  /** Explains a prefix that is too long. */
  private static String prefixHint(String text) {
    int slash = text.indexOf('/');
    IpAddress address = slash < 0 ? null : firstOf(text.substring(0, slash));
    return address == null
        ? ""
        : "; the prefix must be from 0 to " + (text.indexOf(':') < 0 ? "32" : "128");
  }
}
