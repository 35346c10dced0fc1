package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.KeyPart;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Warns of values in a match, other than patterns, that no request has. */
final class ValueCheck {
  /** Short words. Identifiers such as {@code auth0|5f7c8ec7c33c} are not alternatives. */
  private static final Pattern ALTERNATIVES =
      Pattern.compile("[A-Za-z][\\w.-]{0,15}(?: ?\\| ?[A-Za-z][\\w.-]{0,15})+");

  private static final int MAX_LENGTH = 200;
  private static final Pattern LINE_BREAK = Pattern.compile("\\R");

  private ValueCheck() {}

  static void check(KeyPart subject, List<Located<String>> values, Problems problems) {
    for (Located<String> value : values) {
      String warning = warning(subject, value.value());
      if (warning != null) {
        problems.warning(value.at(), value.path(), warning);
      }
    }
  }

  private static @Nullable String warning(KeyPart subject, String value) {
    AttributeSource source = subject.alternatives().get(0).source();
    if (source == AttributeSource.ADDRESS) {
      return addressWarning(value);
    }
    if (source.isRoute()) {
      return null;
    }
    if (value.indexOf('*') >= 0) {
      return "* is compared literally, it is not a wildcard: " + value;
    }
    return subject.alternatives().stream()
            .map(Attribute::source)
            .allMatch(AttributeSource::isPrivate)
        ? textWarning(value)
        : null;
  }

  private static @Nullable String addressWarning(String value) {
    boolean isIpv4 = value.equals("0.0.0.0");
    return isIpv4 || value.equals("::")
        ? "no client has this address: "
            + value
            + "; all "
            + (isIpv4 ? "IPv4 addresses are 0.0.0.0/0" : "IPv6 addresses are ::/0")
            + ", and a match without ip:address accepts every client"
        : null;
  }

  /**
   * Clients send the values of headers, query parameters and cookies. They may be secrets, so the
   * messages don't quote them; two words with a bar between them hardly are.
   */
  private static @Nullable String textWarning(String value) {
    String stripped = value.strip();
    if (LINE_BREAK.matcher(stripped).find()) {
      return "contains a line break, which hardly any request sends";
    }
    if (!stripped.equals(value)) {
      return "starts or ends with whitespace, which hardly any request sends";
    }
    return value.length() <= MAX_LENGTH && ALTERNATIVES.matcher(value).matches()
        ? "| is compared literally, it does not separate alternatives: "
            + value
            + "; did you mean ["
            + value.replaceAll(" ?\\| ?", ", ")
            + "]?"
        : null;
  }
}
