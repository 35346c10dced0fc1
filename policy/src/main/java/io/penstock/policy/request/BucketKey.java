package io.penstock.policy.request;

import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.AttributeMap;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.KeyPart;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Rule;
import io.penstock.policy.RuleBuckets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The values of a rule's {@code limit_keys} that select its buckets, for administration. Immutable.
 * The text form is that of keys in responses and logs, such as {@code user_id=7&path=/search}, and
 * names a bucket exactly.
 *
 * @param values the value of each attribute
 * @param unqualified the attributes in {@code values} under a bare name that may also stand for
 *     another source, if the policy maps it
 */
public record BucketKey(Map<Attribute, String> values, Set<Attribute> unqualified) {
  /** An escaped character; without a group, a percent sign that escapes none. */
  private static final Pattern ESCAPED = Pattern.compile("%u(\\p{XDigit}{4})|%(\\p{XDigit}{2})|%");

  private static final Pattern HASH = Pattern.compile("#[A-Za-z0-9_-]{22}");

  /** Stands before a bare name to state that the caller supplied the value. */
  private static final String CALLER = AttributeMap.CALLER + ":";

  public BucketKey {
    values = Map.copyOf(values);
    unqualified = Set.copyOf(unqualified);
  }

  /**
   * Parses the text form; an empty text is the key of a rule without {@code limit_keys}.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static BucketKey parse(String text) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String part : text.isEmpty() ? new String[0] : text.split("&", -1)) {
      int equals = part.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "key must have the form name=value&name=value, such as ip:address=203.0.113.7: "
                + part);
      }
      String name = decoded(part.substring(0, equals));
      if (values.put(name, decoded(part.substring(equals + 1))) != null) {
        throw new IllegalArgumentException("key must have one value for " + name + ": " + text);
      }
    }
    return new BucketKey(of(values).values, Set.of());
  }

  /**
   * Returns the key with these values by the names of attributes. The name {@code caller:user_id}
   * is the attribute {@code user_id} as supplied by a caller.
   *
   * @throws IllegalArgumentException if a name is not that of an attribute, or a value is invalid
   */
  public static BucketKey of(Map<String, String> named) {
    Map<Attribute, String> values = new LinkedHashMap<>();
    Set<Attribute> unqualified = new HashSet<>();
    named.forEach(
        (name, value) -> {
          Attribute attribute = attribute(name);
          if (values.put(attribute, checked(attribute, value)) != null) {
            throw new IllegalArgumentException(attribute + " must have one value: " + name);
          }
          if (attribute.source() == AttributeSource.STATED && !name.startsWith(CALLER)) {
            unqualified.add(attribute);
          }
        });
    return new BucketKey(values, unqualified);
  }

  private static Attribute attribute(String name) {
    return name.startsWith(CALLER)
        ? new Attribute(AttributeSource.STATED, name.substring(CALLER.length()))
        : Attribute.parse(name);
  }

  /**
   * Returns the buckets of the rule {@code name}. Empty if there is no such rule, or if it is off
   * or unlimited.
   *
   * @throws IllegalArgumentException if the values are not those of the rule's {@code limit_keys}
   */
  public Optional<RuleBuckets> bucketsOf(String name, PolicyEngine engine) {
    engine.policy().rules().stream()
        .filter(rule -> rule.name().equals(name))
        .findFirst()
        .ifPresent(rule -> check(rule, engine.policy().attributes()));
    ExplicitRequest.Builder request = ExplicitRequest.builder();
    values.forEach(request::state);
    return engine.buckets(name, request.build());
  }

  private void check(Rule rule, AttributeMap attributes) {
    for (Attribute bare : unqualified) {
      if (attributes.maps(bare.name())) {
        throw new IllegalArgumentException(
            bare
                + " is mapped, and each source has its own bucket; name the source: "
                + Stream.concat(
                        attributes.sources().getOrDefault(bare.name(), List.of()).stream()
                            .map(Attribute::toString),
                        Stream.of(CALLER + bare + " if the caller supplied it"))
                    .collect(Collectors.joining(", ")));
      }
    }
    for (Attribute attribute : values.keySet()) {
      if (rule.limitKeys().stream().noneMatch(part -> part.alternatives().contains(attribute))) {
        String keys =
            rule.limitKeys().stream().map(KeyPart::toString).collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
            "key must consist of the limit_keys of rule "
                + rule.name()
                + (keys.isEmpty() ? ", which has none: " : ", " + keys + ": ")
                + attribute);
      }
    }
  }

  private static String checked(Attribute attribute, String value) {
    if (HASH.matcher(value).matches() && attribute.source() != AttributeSource.ADDRESS) {
      throw new IllegalArgumentException(
          attribute + " must be the value of the request, not its hash: " + value);
    }
    int slash = attribute.source() == AttributeSource.ADDRESS ? value.indexOf('/') : -1;
    String plain = slash < 0 ? value : value.substring(0, slash);
    ExplicitRequest.builder().state(attribute, plain);
    return plain;
  }

  /** Decodes the characters that keys are printed with: {@code %20} and {@code %u65E5}. */
  private static String decoded(String text) {
    StringBuilder decoded = new StringBuilder(text.length());
    Matcher escaped = ESCAPED.matcher(text);
    while (escaped.find()) {
      String code = escaped.group(1) == null ? escaped.group(2) : escaped.group(1);
      if (code == null) {
        throw new IllegalArgumentException("key must have %25 in place of %: " + text);
      }
      escaped.appendReplacement(
          decoded, Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(code, 16))));
    }
    return escaped.appendTail(decoded).toString();
  }
}
