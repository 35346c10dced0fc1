package io.penstock.policy;

import io.penstock.policy.address.IpAddress;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that a rule can name of a request, such as {@code header:x-api-key} or {@code user_id}.
 * Immutable.
 *
 * @param source where it is from
 * @param name which one of that source; empty for sources that are a single thing
 */
public record Attribute(AttributeSource source, String name) {
  private static final int MAX_NAME_LENGTH = 64;
  private static final String SEPARATOR = ", ";

  /** Where attributes come from. */
  public enum AttributeSource {
    ADDRESS("ip:address", false),
    METHOD("method", false),
    PATH("path", false),
    HOST("host", false),
    HEADER("header:", true),
    QUERY("query:", true),
    COOKIE("cookie:", true),
    CLAIM("jwt:", true),
    /** What the caller supplies under a bare name. */
    STATED("", false);

    private final String prefix;
    private final boolean omittable;

    AttributeSource(String prefix, boolean omittable) {
      this.prefix = prefix;
      this.omittable = omittable;
    }

    /** What attributes of this source begin with. */
    String prefix() {
      return prefix;
    }

    /** Whether a client can leave it out at will. */
    public boolean isOmittable() {
      return omittable;
    }

    /** Whether it may be a secret, which leaves the process only as a hash. */
    public boolean isPrivate() {
      return this == HEADER || this == QUERY || this == COOKIE;
    }

    /** Whether it says where a request goes, rather than who sent it. */
    public boolean isPlace() {
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

  private static void checkName(String whole, String name) {
    if (name.isEmpty() || name.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "the name of an attribute must have 1 to " + MAX_NAME_LENGTH + " characters: " + whole);
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '|' || c == ',' || c == '"') {
        throw new IllegalArgumentException(
            "the name of an attribute must be of printable ASCII without | , \": " + whole);
      }
    }
  }

  /**
   * Reads an attribute as rules write it.
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

  /** Its value in a request, if it is there and not empty. */
  public @Nullable String of(Request request) {
    String value = raw(request);
    return value == null || value.isEmpty() ? null : value;
  }

  /**
   * All values, if a request has more than one; null otherwise. A cookie header is one value
   * however many lines it takes.
   *
   * @param value what {@link #of} returned
   */
  @Nullable List<String> repeated(Request request, String value) {
    // Several values are joined by these, so hardly any request is asked for its list.
    if (!source.isOmittable() || !value.contains(SEPARATOR) || isCookieHeader()) {
      return null;
    }
    List<String> values = request.values(this);
    return values.size() > 1 ? values : null;
  }

  private boolean isCookieHeader() {
    return source == AttributeSource.HEADER && name.equals("cookie");
  }

  /** Whether a request may have it or not, but nobody can tell: see {@link Request}. */
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

  /** HTTP methods are case-sensitive by the standard, but origins and rule authors ignore case. */
  private static @Nullable String inUpperCase(@Nullable String method) {
    return method == null ? null : method.toUpperCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return source.prefix + name;
  }
}
