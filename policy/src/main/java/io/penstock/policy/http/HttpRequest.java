package io.penstock.policy.http;

import io.penstock.policy.Attribute;
import io.penstock.policy.HostName;
import io.penstock.policy.Request;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.jwt.JwtVerifier;
import io.penstock.policy.jwt.RequestToken;
import io.penstock.policy.jwt.TokenCheck;
import io.penstock.policy.parameter.CookieText;
import io.penstock.policy.parameter.ParameterValues;
import io.penstock.policy.parameter.QueryText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request that is parsed lazily, as far as rules need it. Used by one thread at a time.
 *
 * <p>The path is as sent. Queries and cookies are searched in place for each name, in time linear
 * in their length.
 */
public final class HttpRequest implements Request {
  private final @Nullable IpAddress address;
  private final RequestLine line;
  private final Headers headers;
  private final JwtVerifier jwt;
  private final CallerAttributes callerAttributes;

  private @Nullable String target;
  private int queryStart;
  private @Nullable String path;
  private @Nullable String host;
  private @Nullable RequestToken token;

  /** Creates a request without caller attributes. */
  public HttpRequest(
      @Nullable IpAddress address, RequestLine line, Headers headers, JwtVerifier jwt) {
    this(address, line, headers, jwt, CallerAttributes.NOTHING);
  }

  /**
   * @param address the client's address, if known
   * @param jwt verifies the token once, and only if a rule needs a claim
   * @param callerAttributes attributes that are not part of the HTTP request
   */
  public HttpRequest(
      @Nullable IpAddress address,
      RequestLine line,
      Headers headers,
      JwtVerifier jwt,
      CallerAttributes callerAttributes) {
    this.address = address;
    this.line = line;
    this.headers = headers;
    this.jwt = jwt;
    this.callerAttributes = callerAttributes;
  }

  @Override
  public @Nullable IpAddress address() {
    return address;
  }

  @Override
  public @Nullable String method() {
    return line.method();
  }

  @Override
  public @Nullable String path() {
    if (path == null) {
      String all = target();
      String sent = all == null || queryStart < 0 ? all : all.substring(0, queryStart);
      path = sent != null && sent.isEmpty() ? "/" : sent;
    }
    return path;
  }

  private @Nullable String target() {
    if (target == null) {
      target = line.target();
      queryStart = target == null ? -1 : target.indexOf('?');
    }
    return target;
  }

  @Override
  public @Nullable String host() {
    if (host == null) {
      String sent = line.host();
      host = sent == null ? null : HostName.of(sent);
    }
    return host == null || host.isEmpty() ? null : host;
  }

  @Override
  public @Nullable String header(String name) {
    List<String> similar = headers.similar(name);
    return similar.isEmpty() ? headers.get(name) : values(name, similar).joined();
  }

  private ParameterValues values(String name, List<String> similar) {
    ParameterValues values = new ParameterValues();
    headers.all(name).forEach(values::add);
    similar.forEach(values::addAmbiguous);
    return values;
  }

  @Override
  public @Nullable String query(String name) {
    return queries(name).joined();
  }

  private ParameterValues queries(String name) {
    String all = target();
    return all == null || queryStart < 0
        ? new ParameterValues()
        : QueryText.find(all, queryStart + 1, name);
  }

  @Override
  public @Nullable String cookie(String name) {
    return cookies(name).joined();
  }

  private ParameterValues cookies(String name) {
    String cookies = headers.get("cookie");
    return cookies == null ? new ParameterValues() : CookieText.find(cookies, name);
  }

  @Override
  public @Nullable String claim(String name) {
    return token().claim(name);
  }

  @Override
  public boolean claimsUnverifiable() {
    return (token != null || jwt.mayLackKeys()) && token().isUnverifiable();
  }

  @Override
  public TokenCheck.Result tokenResult() {
    return token().result();
  }

  private RequestToken token() {
    if (token == null) {
      token = new RequestToken(jwt, address, headers);
    }
    return token;
  }

  @Override
  public List<String> values(Attribute attribute) {
    return switch (attribute.source()) {
      case HEADER -> values(attribute.name(), headers.similar(attribute.name())).list();
      case QUERY -> queries(attribute.name()).list();
      case COOKIE -> cookies(attribute.name()).list();
      case CLAIM -> token().values(attribute.name());
      default -> Request.super.values(attribute);
    };
  }

  @Override
  public boolean isAmbiguous(Attribute attribute) {
    return switch (attribute.source()) {
      case QUERY -> queries(attribute.name()).isAmbiguous();
      case COOKIE -> cookies(attribute.name()).isAmbiguous();
      case HEADER -> !headers.similar(attribute.name()).isEmpty();
      default -> false;
    };
  }

  @Override
  public @Nullable String attribute(String name) {
    return callerAttributes.get(name);
  }
}
