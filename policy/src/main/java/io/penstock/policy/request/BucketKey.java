package io.penstock.policy.request;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.KeyPart;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Rule;
import io.penstock.policy.RuleBuckets;
import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The values of a rule's {@code limit_keys} that select its buckets, for administration. Immutable.
 * The text form is that of keys in responses and logs, such as {@code user_id=7&path=/search}.
 */
public record BucketKey(Map<Attribute, String> values) {
  private static final Pattern HASH = Pattern.compile("#[A-Za-z0-9_-]{22}");

  public BucketKey {
    values = Map.copyOf(values);
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
      values.put(decoded(part.substring(0, equals)), decoded(part.substring(equals + 1)));
    }
    return of(values);
  }

  /**
   * Returns the key with these values by the names of attributes.
   *
   * @throws IllegalArgumentException if a name is not that of an attribute, or a value is invalid
   */
  public static BucketKey of(Map<String, String> named) {
    Map<Attribute, String> values = new LinkedHashMap<>();
    named.forEach(
        (name, value) -> {
          Attribute attribute = Attribute.parse(name);
          values.put(attribute, checked(attribute, value));
        });
    return new BucketKey(values);
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
        .ifPresent(this::check);
    ExplicitRequest.Builder request = ExplicitRequest.builder();
    values.forEach(request::state);
    return engine.buckets(name, request.build());
  }

  private void check(Rule rule) {
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

  /** Decodes percent-encoding only; a plus sign stands for itself. */
  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }
}
