package io.penstock.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One part of a key: an attribute, or the first of several alternatives that a request has, written
 * {@code user_id|ip:address}. Immutable.
 */
public record KeyPart(List<Attribute> alternatives) {
  public KeyPart {
    alternatives = List.copyOf(alternatives);
    if (alternatives.isEmpty()) {
      throw new IllegalArgumentException("a key must name an attribute: " + alternatives);
    }
  }

  /** Parses one or more attributes separated by {@code |}. */
  public static KeyPart parse(String text) {
    List<Attribute> alternatives = new ArrayList<>();
    for (String alternative : text.split("\\|", -1)) {
      alternatives.add(Attribute.parse(alternative.strip()));
    }
    return new KeyPart(alternatives);
  }

  /**
   * Returns the first alternative that the request has, or null. The search stops at a claim that
   * cannot be verified.
   */
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

  /** Returns whether the value is unknown because a claim that cannot be verified comes first. */
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

  /** Returns whether an alternative is a claim of a token. */
  boolean hasClaim() {
    return alternatives.stream().anyMatch(each -> each.source() == Attribute.AttributeSource.CLAIM);
  }

  /** Returns whether an alternative is a cookie. */
  boolean hasCookie() {
    return alternatives.stream()
        .anyMatch(each -> each.source() == Attribute.AttributeSource.COOKIE);
  }

  /** Returns the value in a request, or null if it is missing. */
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

  /** Returns whether an alternative is supplied by the caller. */
  boolean isStated() {
    return alternatives.stream()
        .anyMatch(attribute -> attribute.source() == Attribute.AttributeSource.STATED);
  }

  /** Returns whether a client can omit an alternative at will. */
  public boolean isOmittable() {
    return alternatives.stream().anyMatch(attribute -> attribute.source().isOmittable());
  }

  @Override
  public String toString() {
    return alternatives.stream().map(Attribute::toString).collect(Collectors.joining("|"));
  }
}
