package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpServerRequest;
import java.security.MessageDigest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The bearer token that a listener requires, if any. Immutable. */
public final class BearerToken {
  private static final String BEARER = "Bearer ";

  private final byte @Nullable [] token;

  public BearerToken(Optional<String> token) {
    this.token = token.map(text -> text.getBytes(UTF_8)).orElse(null);
  }

  /** Returns whether the request has the token; if not, responds with 401. */
  public boolean admits(HttpServerRequest request) {
    if (token == null || matches(request.getHeader("Authorization"))) {
      return true;
    }
    request.response().putHeader("WWW-Authenticate", "Bearer");
    ProblemResponses.end(request.response(), 401, "Unauthorized", "A bearer token is required");
    return false;
  }

  private boolean matches(@Nullable String authorization) {
    return authorization != null
        && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        && MessageDigest.isEqual(
            token, authorization.substring(BEARER.length()).strip().getBytes(UTF_8));
  }
}
