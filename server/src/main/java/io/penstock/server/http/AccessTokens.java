package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpServerRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The access tokens of a listener, each with its role. Immutable.
 *
 * <p>Tokens are stored as hashes and compared in constant time. The hashes need neither a salt nor
 * a slow function, because {@code penstock token} generates tokens of 256 random bits.
 */
public final class AccessTokens {
  /** The name of a caller without a token, where none is required. */
  public static final String ANONYMOUS = "anonymous";

  private static final String BEARER = "Bearer ";
  private static final Pattern TOKEN_FORMAT =
      Pattern.compile("(read|write):([A-Za-z0-9_.@-]{1,64}):([0-9a-f]{64})");

  /** What a caller may do. */
  public enum Role {
    READ,
    /** May read and change everything. */
    WRITE;

    /** Returns the name used in settings and on the wire. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * An authenticated caller.
   *
   * @param name the name in the history of changes
   */
  public record Caller(String name, Role role) {}

  /** The hash of a token and its owner. */
  private static final class KnownToken {
    final byte[] hash;
    final Caller caller;

    KnownToken(byte[] hash, Caller caller) {
      this.hash = hash;
      this.caller = caller;
    }
  }

  private final List<KnownToken> tokens;

  private AccessTokens(List<KnownToken> tokens) {
    this.tokens = List.copyOf(tokens);
  }

  /** Parses a comma-separated list of {@code role:name:hash}. */
  public static AccessTokens parse(String list) {
    List<KnownToken> tokens = new ArrayList<>();
    for (String item : list.split(",", -1)) {
      Matcher parts = TOKEN_FORMAT.matcher(item.strip());
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            "must be role:name:hash as penstock token prints it, separated by commas");
      }
      tokens.add(
          new KnownToken(
              HexFormat.of().parseHex(parts.group(3)),
              new Caller(parts.group(2), Role.valueOf(parts.group(1).toUpperCase(Locale.ROOT)))));
    }
    return new AccessTokens(tokens);
  }

  /**
   * Creates the tokens of a listener; if there are none, everyone is admitted.
   *
   * @param writeToken a token that may do everything
   * @param others further tokens, in the format of {@link #parse}
   */
  public static AccessTokens of(Optional<String> writeToken, Optional<String> others) {
    List<KnownToken> tokens = new ArrayList<>();
    others.ifPresent(list -> tokens.addAll(parse(list).tokens));
    writeToken.ifPresent(
        token -> tokens.add(new KnownToken(hash(token), new Caller("admin_token", Role.WRITE))));
    return new AccessTokens(tokens);
  }

  /** Returns whether there are no tokens, so that everyone is admitted. */
  public boolean isEmpty() {
    return tokens.isEmpty();
  }

  /** Returns the hash of a token, as used in settings. */
  public static String hashOf(String token) {
    return HexFormat.of().formatHex(hash(token));
  }

  /**
   * Returns the caller; if the request is not permitted, responds with an error and returns null.
   */
  public @Nullable Caller admit(HttpServerRequest request, Role required) {
    if (tokens.isEmpty()) {
      return required == Role.WRITE && rejectIfFromPage(request)
          ? null
          : new Caller(ANONYMOUS, Role.WRITE);
    }
    Caller caller = caller(request.getHeader("Authorization"));
    if (caller == null) {
      request.response().putHeader("WWW-Authenticate", "Bearer");
      ProblemResponses.end(request.response(), 401, "Unauthorized", "A bearer token is required");
      return null;
    }
    if (required == Role.WRITE && caller.role() != Role.WRITE) {
      ProblemResponses.end(request.response(), 403, "Forbidden", "This token is read-only");
      return null;
    }
    return caller;
  }

  /**
   * Rejects a request that a web page other than the console has sent; returns whether it did.
   * Without tokens, any page that is open in a browser on this machine could send one.
   */
  private static boolean rejectIfFromPage(HttpServerRequest request) {
    boolean fromPage = request.headers().contains("Origin") && !TrustedHosts.isFromOwnPage(request);
    if (fromPage) {
      ProblemResponses.end(
          request.response(),
          403,
          "Forbidden",
          "Web pages other than the console need a token to change anything");
    }
    return fromPage;
  }

  /**
   * Describes the caller of an admitted request for the audit log and the history of rules: {@code
   * ops (write) from 10.0.0.7}, or {@code anonymous from 127.0.0.1}.
   */
  public String describe(HttpServerRequest request) {
    String name =
        caller(request)
            .map(caller -> caller.name() + " (" + caller.role().code() + ")")
            .orElse(ANONYMOUS);
    return name + " from " + request.remoteAddress().hostAddress();
  }

  /** Returns the caller of an admitted request; empty if no token is required. */
  public Optional<Caller> caller(HttpServerRequest request) {
    return tokens.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(caller(request.getHeader("Authorization")));
  }

  private @Nullable Caller caller(@Nullable String authorization) {
    if (authorization == null
        || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return null;
    }
    byte[] hash = hash(authorization.substring(BEARER.length()).strip());
    Caller found = null;
    for (KnownToken known : tokens) {
      // Compare with all tokens, so that the time does not depend on which one matches.
      if (MessageDigest.isEqual(known.hash, hash)) {
        found = known.caller;
      }
    }
    return found;
  }

  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing", e);
    }
  }
}
