package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import io.penstock.policy.jwt.ClaimNumber;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Converts the values of a match to the texts that they are compared as, so that they mean the same
 * in every store.
 */
public final class MatchTexts {
  /** The numbers that JSON tokens can contain. A value such as 007 can only be text there. */
  private static final Pattern NUMBER_OF_JSON =
      Pattern.compile("-?(?:0|[1-9][0-9]*+)(?:\\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+");

  private static final int MAX_NUMBER_LENGTH = 200;

  private final boolean matchesClaims;
  private final boolean matchesText;

  private MatchTexts(String subject) {
    List<Attribute> attributes = attributes(subject);
    this.matchesClaims =
        attributes.stream()
            .anyMatch(attribute -> attribute.source() == Attribute.AttributeSource.CLAIM);
    this.matchesText =
        !attributes.stream()
            .map(Attribute::source)
            .allMatch(
                source ->
                    source == Attribute.AttributeSource.CLAIM
                        || source == Attribute.AttributeSource.STATED);
  }

  /** Returns no attributes if the subject is invalid; the reader of the match reports that. */
  private static List<Attribute> attributes(String subject) {
    try {
      return KeyPart.parse(subject).alternatives();
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }

  /** Returns the match with numbers and booleans converted to text. */
  public static Node.Mapping of(Node.Mapping match) {
    Map<String, Node.NodeField> entries = new LinkedHashMap<>();
    match
        .entries()
        .forEach(
            (subject, entry) ->
                entries.put(
                    subject,
                    new Node.NodeField(entry.at(), new MatchTexts(subject).values(entry.value()))));
    return new Node.Mapping(match.at(), entries);
  }

  private Node values(Node value) {
    if (value instanceof Node.Mapping) {
      return value;
    }
    List<Node> written = value instanceof Node.Sequence list ? list.items() : List.of(value);
    List<Node> texts = new ArrayList<>(written.size());
    written.forEach(item -> texts.add(text(item)));
    if (matchesClaims) {
      // Added at the end, so that the other values keep their positions in the list.
      written.forEach(item -> addNumber(item, texts));
    }
    return value instanceof Node.Sequence || texts.size() > 1
        ? new Node.Sequence(value.at(), texts)
        : texts.get(0);
  }

  private Node text(Node item) {
    if (!(item instanceof Node.Scalar scalar)
        || scalar.kind() == Node.NodeKind.TEXT
        || scalar.kind() == Node.NodeKind.NULL) {
      return item;
    }
    boolean isBoolean = scalar.kind() == Node.NodeKind.BOOLEAN && !matchesText;
    return text(scalar, isBoolean ? scalar.text().toLowerCase(Locale.ROOT) : scalar.text());
  }

  /** A claim may be a number, which has one canonical form, or text that looks like a number. */
  private static void addNumber(Node item, List<Node> texts) {
    if (item instanceof Node.Scalar scalar
        && scalar.kind() == Node.NodeKind.NUMBER
        && scalar.text().length() <= MAX_NUMBER_LENGTH
        && NUMBER_OF_JSON.matcher(scalar.text()).matches()) {
      String plain = ClaimNumber.plain(scalar.text());
      if (plain != null && !plain.equals(scalar.text())) {
        texts.add(text(scalar, plain));
      }
    }
  }

  private static Node text(Node.Scalar scalar, String text) {
    return new Node.Scalar(scalar.at(), text, Node.NodeKind.TEXT);
  }
}
