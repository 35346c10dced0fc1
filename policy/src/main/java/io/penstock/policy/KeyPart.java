package io.penstock.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One part of a key: an attribute, or the first of several that a request has, written {@code
 * user_id|ip:address}. Immutable.
 */
public record KeyPart(List<Attribute> alternatives) {
  public KeyPart {
    alternatives = List.copyOf(alternatives);
    if (alternatives.isEmpty()) {
      throw new IllegalArgumentException("a key must name an attribute: " + alternatives);
    }
  }

  /** Reads one or several attributes separated by {@code |}. */
  public static KeyPart parse(String text) {
    List<Attribute> alternatives = new ArrayList<>();
    for (String alternative : text.split("\\|", -1)) {
      alternatives.add(Attribute.parse(alternative.strip()));
    }
    return new KeyPart(alternatives);
  }

  /** The first of the alternatives that the request has. */
  public @Nullable Attribute in(Request request) {
    for (int i = 0; i < alternatives.size(); i++) {
      Attribute attribute = alternatives.get(i);
      if (attribute.of(request) != null) {
        return attribute;
      }
      if (attribute.isUnverifiable(request)) {
        return null;
      }
    }
    return null;
  }

  /** Whether nobody can tell its value, as a claim comes first that can't be verified. */
  boolean isUnverifiable(Request request) {
    for (int i = 0; i < alternatives.size(); i++) {
      Attribute attribute = alternatives.get(i);
      if (attribute.of(request) != null) {
        return false;
      }
      if (attribute.isUnverifiable(request)) {
        return true;
      }
    }
    return false;
  }

  /** Whether it may be a claim of a token. */
  boolean hasClaim() {
    return alternatives.stream().anyMatch(each -> each.source() == Attribute.AttributeSource.CLAIM);
  }

  /** Its value in a request, if it is there. */
  public @Nullable String of(Request request) {
    for (int i = 0; i < alternatives.size(); i++) {
      String value = alternatives.get(i).of(request);
      if (value != null) {
        return value;
      }
      if (alternatives.get(i).isUnverifiable(request)) {
        return null;
      }
    }
    return null;
  }

  /** Whether it may be something that only the caller knows. */
  boolean isStated() {
    return alternatives.stream()
        .anyMatch(attribute -> attribute.source() == Attribute.AttributeSource.STATED);
  }

  /** Whether clients could lack it at will. */
  public boolean isOmittable() {
    return alternatives.stream().anyMatch(attribute -> attribute.source().isOmittable());
  }

  @Override
  public String toString() {
    return alternatives.stream().map(Attribute::toString).collect(Collectors.joining("|"));
  }
}
