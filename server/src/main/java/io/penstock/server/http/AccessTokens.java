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
 * The tokens that a door knows, each with what it is good for. Immutable.
 *
 * <p>Tokens are held, and compared in a time that tells nothing, as hashes. These need no salt and
 * no slow function, because {@code penstock token} makes tokens of 256 random bits.
 */
public final class AccessTokens {
  /** The name of a caller without a token, where none is needed. */
  public static final String ANONYMOUS = "anonymous";

  private static final String BEARER = "Bearer ";
  private static final Pattern FORM =
      Pattern.compile("(read|write):([A-Za-z0-9_.@-]{1,64}):([0-9a-f]{64})");

  /** What somebody may do. */
  public enum Role {
    READ,
    /** Everything. */
    WRITE
  }

  /**
   * Who asks.
   *
   * @param name what the history of changes calls them
   */
  public record Caller(String name, Role role) {}

  /** A token, by its hash, and whose it is. */
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

  /** Reads {@code role:name:hash}, separated by commas. */
  public static AccessTokens parse(String list) {
    List<KnownToken> tokens = new ArrayList<>();
    for (String item : list.split(",", -1)) {
      Matcher parts = FORM.matcher(item.strip());
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
   * One that may do everything, and others as {@link #parse} reads them; none lets everybody in.
   */
  public static AccessTokens of(Optional<String> forAll, Optional<String> others) {
    List<KnownToken> tokens = new ArrayList<>();
    others.ifPresent(list -> tokens.addAll(parse(list).tokens));
    forAll.ifPresent(
        token -> tokens.add(new KnownToken(hash(token), new Caller("admin_token", Role.WRITE))));
    return new AccessTokens(tokens);
  }

  /** Whether there are none, so that everybody is let in. */
  public boolean isEmpty() {
    return tokens.isEmpty();
  }

  /** What stands for a token in settings. */
  public static String hashOf(String token) {
    return HexFormat.of().formatHex(hash(token));
  }

  /** Who asks; null if they may not, and then they have been told. */
  public @Nullable Caller admit(HttpServerRequest request, Role needed) {
    if (tokens.isEmpty()) {
      return needed == Role.WRITE && isFromPage(request) ? null : new Caller(ANONYMOUS, Role.WRITE);
    }
    Caller caller = caller(request.getHeader("Authorization"));
    if (caller == null) {
      request.response().putHeader("WWW-Authenticate", "Bearer");
      ProblemResponses.end(request.response(), 401, "Unauthorized", "A bearer token is needed");
      return null;
    }
    if (needed == Role.WRITE && caller.role() != Role.WRITE) {
      ProblemResponses.end(request.response(), 403, "Forbidden", "This token is for reading only");
      return null;
    }
    return caller;
  }

  /**
   * Whether a web page sends this, and then it has been refused: any page that somebody looks at on
   * this machine could, where the machine itself is all that is asked for.
   */
  private static boolean isFromPage(HttpServerRequest request) {
    boolean fromPage = request.headers().contains("Origin");
    if (fromPage) {
      ProblemResponses.end(
          request.response(), 403, "Forbidden", "Web pages need a token to change this");
    }
    return fromPage;
  }

  /**
   * Who has sent a request that was let in, for the audit log and the history of rules: {@code ops
   * (write) from 10.0.0.7}, or {@code anonymous from 127.0.0.1}.
   */
  public String describe(HttpServerRequest request) {
    Caller caller = tokens.isEmpty() ? null : caller(request.getHeader("Authorization"));
    String name =
        caller == null
            ? ANONYMOUS
            : caller.name() + " (" + caller.role().name().toLowerCase(Locale.ROOT) + ")";
    return name + " from " + request.remoteAddress().hostAddress();
  }

  private @Nullable Caller caller(@Nullable String authorization) {
    if (authorization == null
        || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return null;
    }
    byte[] hash = hash(authorization.substring(BEARER.length()).strip());
    Caller found = null;
    for (KnownToken known : tokens) {
      // All are compared, whichever it is.
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
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
