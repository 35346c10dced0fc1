package io.penstock.policy;

import io.penstock.InvalidValueException;
import io.penstock.policy.address.HeaderName;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.jwt.JwtVerifier;
import io.penstock.policy.jwt.RequestToken;
import io.penstock.policy.jwt.TokenCheck;
import io.penstock.policy.parameter.CookieText;
import io.penstock.policy.parameter.CookieValue;
import io.penstock.policy.parameter.ParameterName;
import io.penstock.policy.parameter.ParameterValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request whose attributes the caller supplies explicitly. Used by one thread at a time if it has
 * a {@linkplain #verifiedBy token}, otherwise immutable.
 */
public final class ExplicitRequest implements Request {
  private final @Nullable IpAddress address;
  private final @Nullable String method;
  private final @Nullable String path;
  private final @Nullable String host;
  private final Map<String, List<String>> headers;
  private final Map<String, List<String>> query;
  private final Map<String, List<String>> cookies;
  private final String cookieHeader;
  private final Map<String, String> claims;
  private final Map<String, String> attributes;
  private final long costThousandths;
  private final @Nullable RequestToken token;

  private ExplicitRequest(Builder stated) {
    this.address = stated.address;
    this.method = stated.method;
    this.path = stated.path;
    this.host = stated.host;
    this.headers = copy(stated.headers);
    this.query = copy(stated.query);
    this.cookies = copy(stated.cookies);
    this.cookieHeader = String.join("; ", stated.cookieHeaders);
    this.claims = stated.claims.isEmpty() ? Map.of() : Map.copyOf(stated.claims);
    this.attributes = stated.attributes.isEmpty() ? Map.of() : Map.copyOf(stated.attributes);
    this.costThousandths = stated.costThousandths;
    this.token = null;
  }

  private ExplicitRequest(ExplicitRequest other, JwtVerifier jwt) {
    this.address = other.address;
    this.method = other.method;
    this.path = other.path;
    this.host = other.host;
    this.headers = other.headers;
    this.query = other.query;
    this.cookies = other.cookies;
    this.cookieHeader = other.cookieHeader;
    this.claims = other.claims;
    this.attributes = other.attributes;
    this.costThousandths = other.costThousandths;
    this.token = new RequestToken(jwt, address, new StatedHeaders());
  }

  /** The headers as a verifier reads them. */
  private final class StatedHeaders implements Headers {
    @Override
    public @Nullable String get(String name) {
      return header(name);
    }

    @Override
    public List<String> all(String name) {
      return headers.getOrDefault(name, List.of());
    }
  }

  /**
   * Returns the request with the claims of the token in its {@code Authorization} header. Claims
   * that the caller supplies take precedence: if there are any, the token is ignored.
   */
  public ExplicitRequest verifiedBy(JwtVerifier jwt) {
    return claims.isEmpty() && hasToken() ? new ExplicitRequest(this, jwt) : this;
  }

  /** Returns whether the request has an {@code Authorization} header. */
  public boolean hasToken() {
    return headers.containsKey("authorization");
  }

  private static Map<String, List<String>> copy(Map<String, List<String>> values) {
    if (values.isEmpty()) {
      return Map.of();
    }
    Map<String, List<String>> copy = new HashMap<>();
    values.forEach((name, each) -> copy.put(name, List.copyOf(each)));
    return copy;
  }

  /** Returns a builder for a request without any attributes. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public @Nullable IpAddress address() {
    return address;
  }

  @Override
  public @Nullable String method() {
    return method;
  }

  @Override
  public @Nullable String path() {
    return path;
  }

  @Override
  public @Nullable String host() {
    return host;
  }

  @Override
  public @Nullable String header(String name) {
    return headers(name).joined();
  }

  private ParameterValues headers(String name) {
    ParameterValues values = new ParameterValues();
    headers.getOrDefault(name, List.of()).forEach(values::add);
    headers.forEach(
        (sent, each) -> {
          if (HeaderName.isOtherSpelling(sent, name)) {
            each.forEach(values::addAmbiguous);
          }
        });
    return values;
  }

  @Override
  public @Nullable String query(String name) {
    return queries(name).joined();
  }

  private ParameterValues queries(String name) {
    ParameterValues values = new ParameterValues();
    query.forEach(
        (sent, each) -> {
          if (sent.equals(name)) {
            each.forEach(values::add);
          } else if (ParameterName.isSimilar(sent, name)) {
            each.forEach(values::addAmbiguous);
          }
        });
    return values;
  }

  @Override
  public @Nullable String cookie(String name) {
    return cookies(name).joined();
  }

  private ParameterValues cookies(String name) {
    ParameterValues values = CookieText.find(cookieHeader, name);
    cookies.forEach(
        (sent, each) -> {
          if (sent.equals(name)) {
            each.forEach(value -> CookieValue.addTo(values, value));
          } else if (ParameterName.isSimilar(sent, name)) {
            each.forEach(value -> values.addAmbiguous(CookieValue.canonical(value)));
          }
        });
    return values;
  }

  @Override
  public @Nullable String claim(String name) {
    return token == null ? claims.get(name) : token.claim(name);
  }

  @Override
  public boolean claimsUnverifiable() {
    return token != null && token.isUnverifiable();
  }

  @Override
  public TokenCheck.Result tokenResult() {
    return token == null ? TokenCheck.Result.ABSENT : token.result();
  }

  @Override
  public @Nullable String attribute(String name) {
    return attributes.get(name);
  }

  @Override
  public List<String> values(Attribute attribute) {
    return switch (attribute.source()) {
      case QUERY -> queries(attribute.name()).list();
      case COOKIE -> cookies(attribute.name()).list();
      case HEADER -> headers(attribute.name()).list();
      case CLAIM ->
          token == null ? Request.super.values(attribute) : token.values(attribute.name());
      default -> Request.super.values(attribute);
    };
  }

  @Override
  public boolean isAmbiguous(Attribute attribute) {
    return switch (attribute.source()) {
      case QUERY -> queries(attribute.name()).isAmbiguous();
      case COOKIE -> cookies(attribute.name()).isAmbiguous();
      case HEADER -> headers(attribute.name()).isAmbiguous();
      default -> false;
    };
  }

  @Override
  public long costThousandths() {
    return costThousandths;
  }

  /**
   * Builds a request. Not thread-safe. Setting a header, query parameter or cookie again adds
   * another value; setting any other attribute again replaces it.
   */
  public static final class Builder {
    private Map<String, List<String>> headers = Map.of();
    private Map<String, List<String>> query = Map.of();
    private Map<String, List<String>> cookies = Map.of();
    private List<String> cookieHeaders = List.of();
    private Map<String, String> claims = Map.of();
    private Map<String, String> attributes = Map.of();
    private @Nullable IpAddress address;
    private @Nullable String method;
    private @Nullable String path;
    private @Nullable String host;
    private long costThousandths = UNSTATED;

    private Builder() {}

    public Builder address(IpAddress address) {
      this.address = address;
      return this;
    }

    /**
     * Sets the client's address from text.
     *
     * @throws IllegalArgumentException if it is not an address
     */
    public Builder ip(String text) {
      IpAddress parsed = IpAddress.parse(text);
      if (parsed == null) {
        throw new InvalidValueException("ip", "must be an IPv4 or IPv6 address: " + text);
      }
      return address(parsed);
    }

    public Builder method(String method) {
      this.method = method;
      return this;
    }

    /** Sets the path. A query after it is removed, so that it can't hide the path from a rule. */
    public Builder path(String path) {
      int questionMark = path.indexOf('?');
      this.path = questionMark < 0 ? path : path.substring(0, questionMark);
      return this;
    }

    /** Sets the host, with or without a port and in upper or lower case. */
    public Builder host(String host) {
      this.host = HostName.of(host);
      return this;
    }

    /** Adds a header. Its name is case-insensitive. */
    public Builder header(String name, String value) {
      headers = join(headers, name.toLowerCase(Locale.ROOT), value);
      return this;
    }

    /** Adds a decoded query parameter. */
    public Builder query(String name, String value) {
      query = join(query, name, value);
      return this;
    }

    public Builder cookie(String name, String value) {
      cookies = join(cookies, name, value);
      return this;
    }

    /** Adds the cookies in a {@code Cookie} header. */
    public Builder cookies(String header) {
      cookieHeaders = cookieHeaders.isEmpty() ? new ArrayList<>() : cookieHeaders;
      cookieHeaders.add(header);
      return this;
    }

    /** Sets a claim of a token that the caller has verified. */
    public Builder claim(String name, String value) {
      claims = writable(claims);
      claims.put(name, value);
      return this;
    }

    /** Sets an attribute that the caller defines. */
    public Builder attribute(String name, String value) {
      attributes = writable(attributes);
      attributes.put(name, value);
      return this;
    }

    /**
     * Sets any attribute from text.
     *
     * @throws IllegalArgumentException if the value is not valid for the attribute
     */
    public Builder state(Attribute attribute, String value) {
      return switch (attribute.source()) {
        case ADDRESS -> ip(value);
        case METHOD -> method(value);
        case PATH -> path(value);
        case HOST -> host(value);
        case HEADER -> header(attribute.name(), value);
        case QUERY -> query(attribute.name(), value);
        case COOKIE -> cookie(attribute.name(), value);
        case CLAIM -> claim(attribute.name(), value);
        case STATED -> attribute(attribute.name(), value);
      };
    }

    /** Sets the cost in thousandths of a token; 0 checks the limits without taking tokens. */
    public Builder costThousandths(long thousandths) {
      if (thousandths < 0) {
        throw new IllegalArgumentException("costThousandths must not be negative: " + thousandths);
      }
      this.costThousandths = thousandths;
      return this;
    }

    public ExplicitRequest build() {
      return new ExplicitRequest(this);
    }

    private static Map<String, List<String>> join(
        Map<String, List<String>> values, String name, String value) {
      Map<String, List<String>> joined = writable(values);
      joined.computeIfAbsent(name, unused -> new ArrayList<>(1)).add(value);
      return joined;
    }

    /** Most requests have few kinds of attributes, so maps are created when they are needed. */
    private static <V> Map<String, V> writable(Map<String, V> values) {
      return values.isEmpty() ? new HashMap<>() : values;
    }
  }
}
