package io.penstock.policy;

import io.penstock.policy.address.IpAddress;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An attribute of a request that a rule can refer to, such as {@code header:x-api-key} or {@code
 * user_id}. Immutable.
 *
 * @param source where the value comes from
 * @param name the name within the source; empty for sources that have a single value
 */
public record Attribute(AttributeSource source, String name) {
  private static final int MAX_NAME_LENGTH = 64;
  private static final String SEPARATOR = ", ";

  /** The source of an attribute. */
  public enum AttributeSource {
    ADDRESS("ip:address", false),
    METHOD("method", false),
    PATH("path", false),
    HOST("host", false),
    HEADER("header:", true),
    QUERY("query:", true),
    COOKIE("cookie:", true),
    CLAIM("jwt:", true),
    /** A value that the caller supplies under a bare name. */
    STATED("", false);

    private final String prefix;
    private final boolean omittable;

    AttributeSource(String prefix, boolean omittable) {
      this.prefix = prefix;
      this.omittable = omittable;
    }

    /** Returns the prefix of the attributes of this source. */
    String prefix() {
      return prefix;
    }

    /** Returns whether a client can omit the attribute at will. */
    public boolean isOmittable() {
      return omittable;
    }

    /** Returns whether values may be secrets, which leave the process only as hashes. */
    public boolean isPrivate() {
      return this == HEADER || this == QUERY || this == COOKIE;
    }

    /**
     * Returns whether the attribute describes the route of a request (path, method, host) rather
     * than its sender.
     */
    public boolean isRoute() {
      return this == METHOD || this == PATH || this == HOST;
    }
  }

  public Attribute {
    if (source.prefix.endsWith(":") || source == AttributeSource.STATED) {
      checkName(source.prefix + name, name);
    } else if (!name.isEmpty()) {
      throw new IllegalArgumentException(source.prefix + " takes no name: " + name);
    }
    if (source == AttributeSource.HEADER) {
      name = name.toLowerCase(Locale.ROOT);
    }
  }

  private static void checkName(String text, String name) {
    if (name.isEmpty() || name.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "the name of an attribute must have 1 to " + MAX_NAME_LENGTH + " characters: " + text);
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '|' || c == ',' || c == '"') {
        throw new IllegalArgumentException(
            "the name of an attribute must be printable ASCII without | , \": " + text);
      }
    }
  }

  /**
   * Parses an attribute as written in rules.
   *
   * @throws IllegalArgumentException if there is no such attribute
   */
  public static Attribute parse(String text) {
    for (AttributeSource source : AttributeSource.values()) {
      if (source == AttributeSource.STATED) {
        break;
      }
      if (source.prefix.endsWith(":")
          ? text.startsWith(source.prefix)
          : text.equals(source.prefix)) {
        return new Attribute(source, text.substring(source.prefix.length()));
      }
    }
    if (text.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "must be ip:address, header:…, query:…, cookie:…, jwt:…, path, method, host or a bare"
              + " name: "
              + text);
    }
    return new Attribute(AttributeSource.STATED, text);
  }

  /** Returns the value in a request, or null if it is missing or empty. */
  public @Nullable String of(Request request) {
    String value = raw(request);
    return value == null || value.isEmpty() ? null : value;
  }

  /**
   * Returns all values if a request has more than one, otherwise null. A cookie header counts as
   * one value, however many lines it has.
   *
   * @param value the result of {@link #of}
   */
  @Nullable List<String> repeated(Request request, String value) {
    // Repeated values are joined by this separator, so few requests have to build the list.
    if (!source.isOmittable() || !value.contains(SEPARATOR) || isCookieHeader()) {
      return null;
    }
    List<String> values = request.values(this);
    return values.size() > 1 ? values : null;
  }

  /**
   * Returns which of several values counts for a rule; null if the request is to be denied.
   *
   * @param joined the result of {@link #of}
   * @param values the result of {@link #repeated}
   */
  @Nullable String choose(
      RepeatedKey onRepeated, Request request, String joined, List<String> values) {
    return onRepeated != RepeatedKey.JOIN && request.isAmbiguous(this)
        ? null
        : onRepeated.choose(joined, values);
  }

  private boolean isCookieHeader() {
    return source == AttributeSource.HEADER && name.equals("cookie");
  }

  /**
   * Returns whether the presence of the attribute is unknown because the claims of the request
   * cannot be verified; see {@link Request#claimsUnverifiable}.
   */
  boolean isUnverifiable(Request request) {
    return source == AttributeSource.CLAIM && request.claimsUnverifiable();
  }

  private @Nullable String raw(Request request) {
    return switch (source) {
      case ADDRESS -> {
        IpAddress address = request.address();
        yield address == null ? null : address.toString();
      }
      case METHOD -> inUpperCase(request.method());
      case PATH -> request.path();
      case HOST -> request.host();
      case HEADER -> request.header(name);
      case QUERY -> request.query(name);
      case COOKIE -> request.cookie(name);
      case CLAIM -> request.claim(name);
      case STATED -> request.attribute(name);
    };
  }

  /** HTTP methods are case-sensitive in the standard, but origins and rule authors ignore case. */
  private static @Nullable String inUpperCase(@Nullable String method) {
    return method == null ? null : method.toUpperCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return source.prefix + name;
  }
}
