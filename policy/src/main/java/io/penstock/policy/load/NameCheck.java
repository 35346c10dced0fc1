package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Detects names of headers, query parameters and cookies that requests don't have. */
final class NameCheck {
  private static final Pattern NO_TOKEN = Pattern.compile("[^!#$%&'*+.^_`|~0-9A-Za-z-]");
  private static final Pattern NO_PARAMETER = Pattern.compile("[?&=]");

  /** The attributes for the pseudo-headers of HTTP/2. */
  private static final Map<String, String> PSEUDO_HEADERS =
      Map.of(":authority", "host", ":path", "path", ":method", "method");

  private NameCheck() {}

  /** Returns what is wrong with a name, and a suggestion; null if nothing is. */
  static @Nullable String warning(Attribute attribute) {
    return switch (attribute.source()) {
      case HEADER -> headerWarning(attribute);
      case QUERY -> parameterWarning(attribute, "the name of a query parameter");
      case COOKIE -> parameterWarning(attribute, "the name of a cookie");
      default -> null;
    };
  }

  private static @Nullable String headerWarning(Attribute header) {
    String name = header.name();
    if (!NO_TOKEN.matcher(name).find()) {
      return null;
    }
    String token = NO_TOKEN.matcher(name).replaceAll("");
    String builtIn = PSEUDO_HEADERS.get(name);
    return "no request has such a header, as its name is not a token of RFC 9110: "
        + header
        + (builtIn == null ? suggestion(AttributeSource.HEADER, token) : didYouMean(builtIn));
  }

  private static @Nullable String parameterWarning(Attribute parameter, String what) {
    String name = parameter.name();
    if (!NO_PARAMETER.matcher(name).find()) {
      return null;
    }
    String bare = name.replaceFirst("^[?&]+", "").replaceFirst("[?&=].*", "");
    return what
        + " hardly ever contains ?, & or =: "
        + parameter
        + suggestion(parameter.source(), bare);
  }

  private static String suggestion(AttributeSource source, String name) {
    return name.isEmpty() ? "" : didYouMean(new Attribute(source, name).toString());
  }

  private static String didYouMean(String attribute) {
    return "; did you mean " + attribute + "?";
  }
}
