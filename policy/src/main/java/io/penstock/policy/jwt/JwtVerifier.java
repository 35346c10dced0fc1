package io.penstock.policy.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jwt.EncryptedJWT;
import com.nimbusds.jwt.JWT;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.jwt.SignedJWT;
import io.penstock.NanoClock;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.jwt.TokenCheck.Result;
import java.io.IOException;
import java.text.ParseException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Verifies tokens and returns their claims. Thread-safe. Neither blocks nor throws, whatever a
 * client sends.
 */
public final class JwtVerifier implements AutoCloseable {
  private static final int MAX_TOKEN_LENGTH = 16 * 1024;
  private static final String BEARER = "Bearer ";
  private static final double MILLIS = 1000;

  private final JwtSettings settings;
  private final Set<JWSAlgorithm> algorithms;
  private final InstantSource clock;
  private final KeyRing ring;
  private final JwtObserver observer;
  private final VerifiedTokens verified = new VerifiedTokens();
  private final RejectedTokens rejected = new RejectedTokens();
  private final VerificationBudget budget;
  private final double leewaySeconds;
  private final int ipv6Prefix;

  /**
   * The state of the keys.
   *
   * @param keys how many keys are active
   * @param lastFailure why the last fetch failed; null if it succeeded
   */
  public record Status(int keys, @Nullable String lastFailure) {}

  /**
   * Creates a verifier with the system clock. Keys from a URL are fetched in the background. The
   * constructor waits for them for at most two seconds; until they are available, no token is
   * accepted.
   *
   * @throws IllegalArgumentException if a key file can't be read
   */
  public JwtVerifier(JwtSettings settings) {
    this(settings, InstantSource.system());
  }

  /**
   * Creates a verifier with the system clock and an observer.
   *
   * @param ipv6Prefix how many bits of an IPv6 address identify the sender of invalid tokens
   */
  public JwtVerifier(JwtSettings settings, int ipv6Prefix, JwtObserver observer) {
    this(settings, ipv6Prefix, InstantSource.system(), observer);
  }

  /** Creates a verifier with another clock. */
  public JwtVerifier(JwtSettings settings, InstantSource clock) {
    this(settings, ClientAddress.DEFAULT_IPV6_PREFIX, clock, JwtObserver.NONE);
  }

  private JwtVerifier(
      JwtSettings settings, int ipv6Prefix, InstantSource clock, JwtObserver observer) {
    this(
        settings,
        ipv6Prefix,
        clock,
        KeyRing.open(settings.keys(), clock, observer),
        new VerificationBudget(NanoClock.system()),
        observer);
  }

  JwtVerifier(JwtSettings settings, InstantSource clock, KeyRing ring) {
    this(
        settings,
        ClientAddress.DEFAULT_IPV6_PREFIX,
        clock,
        ring,
        new VerificationBudget(NanoClock.system()),
        JwtObserver.NONE);
  }

  JwtVerifier(
      JwtSettings settings,
      int ipv6Prefix,
      InstantSource clock,
      KeyRing ring,
      VerificationBudget budget,
      JwtObserver observer) {
    this.budget = budget;
    this.settings = settings;
    this.ipv6Prefix = ipv6Prefix;
    this.clock = clock;
    this.ring = ring;
    this.observer = observer;
    this.algorithms =
        settings.algorithms().stream().map(Algorithms::known).collect(Collectors.toSet());
    this.leewaySeconds = settings.leeway().toMillis() / MILLIS;
  }

  /**
   * Returns this verifier if the settings are the same, else a new one for the other settings. Keys
   * from the same source are kept because the source may be unavailable at the moment.
   *
   * @throws IllegalArgumentException if a key file can't be read
   */
  public JwtVerifier under(JwtSettings other, int otherPrefix) {
    if (other.equals(settings) && otherPrefix == ipv6Prefix) {
      return this;
    }
    return Objects.equals(other.keys(), settings.keys())
        ? new JwtVerifier(other, otherPrefix, clock, ring, budget, observer)
        : new JwtVerifier(other, otherPrefix, clock, observer);
  }

  /**
   * Returns the claims of the token in an {@code Authorization} header that are strings, numbers or
   * booleans, as text; empty if there is no accepted token.
   */
  public Map<String, String> claims(@Nullable String authorization) {
    return check(authorization, null).claims();
  }

  /**
   * Checks the token in an {@code Authorization} header.
   *
   * @param client the sender; null if unknown. After many invalid tokens from a sender, further
   *     ones are rejected without verification, except those that were accepted recently.
   */
  public TokenCheck check(@Nullable String authorization, @Nullable IpAddress client) {
    if (authorization == null || !settings.acceptTokens()) {
      return Result.ABSENT.check();
    }
    if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return Result.ABSENT.check();
    }
    TokenCheck check = checkToken(token(authorization), client);
    if (check.result().isRejection()) {
      observer.rejected(check.result());
    }
    return check;
  }

  private TokenCheck checkToken(String token, @Nullable IpAddress client) {
    if (token.length() > MAX_TOKEN_LENGTH) {
      return Result.MALFORMED.check();
    }
    if (settings.trust() == JwtSettings.Trust.DECODE_ONLY) {
      return isCompact(token) ? decoded(token) : Result.MALFORMED.check();
    }
    KeySet keys = ring.keys().current();
    long nowMillis = clock.millis();
    // Most tokens were seen before. Cached tokens were well-formed, so their format is not checked
    // again.
    TokenCheck known = verified.get(token, keys, nowMillis);
    if (known != null) {
      return known;
    }
    return isCompact(token)
        ? checkUncached(token, keys, nowMillis, client)
        : Result.MALFORMED.check();
  }

  private TokenCheck checkUncached(
      String token, KeySet keys, long nowMillis, @Nullable IpAddress client) {
    String sender = client == null ? null : client.subscriber(ipv6Prefix);
    if (!budget.allows(sender)) {
      return Result.THROTTLED.check();
    }
    RejectedTokens.Id id = rejected.id(token);
    Result before = rejected.get(id, keys, nowMillis);
    if (before != null) {
      return before.check();
    }
    TokenCheck check = verified(token, keys, nowMillis);
    switch (check.result()) {
      case MALFORMED, ALGORITHM, SIGNATURE -> {
        rejected.put(id, check.result(), keys, nowMillis);
        budget.spend(sender);
      }
      case EXPIRED, ISSUER, AUDIENCE -> rejected.put(id, check.result(), keys, nowMillis);
      default -> {
        // The token is accepted, or may be accepted later.
      }
    }
    return check;
  }

  /** Returns the state of the keys, for diagnosing rejected tokens. */
  public Status status() {
    return new Status(ring.keys().current().size(), ring.keys().lastFailure());
  }

  /** Returns whether tokens may currently be unverifiable. Cheap, unlike a check. */
  public boolean mayLackKeys() {
    return settings.trust() == JwtSettings.Trust.VERIFY && ring.keys().lastFailure() != null;
  }

  /** Returns the time since the keys were last known to be current; zero if they are fixed. */
  public Duration keysAge() {
    return ring.keys().age();
  }

  @Override
  public void close() {
    ring.close();
  }

  /** Closes this verifier, but keeps keys that {@code other} still uses. */
  public void closeUnlessShared(JwtVerifier other) {
    if (ring != other.ring) {
      ring.close();
    }
  }

  private static String token(String authorization) {
    int at = BEARER.length();
    while (at < authorization.length() && authorization.charAt(at) == ' ') {
      at++;
    }
    return authorization.substring(at);
  }

  private static boolean isCompact(String token) {
    for (int i = 0; i < token.length(); i++) {
      if (!isCompact(token.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isCompact(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_'
        || c == '.';
  }

  private TokenCheck decoded(String token) {
    try {
      JWT jwt = JWTParser.parse(token);
      if (jwt instanceof EncryptedJWT) {
        return Result.MALFORMED.check();
      }
      TokenClaims claims = payload(jwt);
      Result result = result(claims, clock.millis());
      return result == Result.ACCEPTED ? TokenCheck.accepted(claims.scalars()) : result.check();
    } catch (ParseException | IOException | RuntimeException malformed) {
      return Result.MALFORMED.check();
    }
  }

  private TokenCheck verified(String token, KeySet keys, long nowMillis) {
    try {
      SignedJWT jwt = SignedJWT.parse(token);
      if (!algorithms.contains(jwt.getHeader().getAlgorithm())
          || !jwt.getHeader().isBase64URLEncodePayload()) {
        return Result.ALGORITHM.check();
      }
      // Claims are checked first, because rejecting an expired token is much cheaper than verifying
      // its signature.
      TokenClaims claims = payload(jwt);
      Result result = result(claims, nowMillis);
      if (result != Result.ACCEPTED) {
        return result.check();
      }
      if (keys.size() == 0 || keys.lacksKeyOf(jwt.getHeader())) {
        ring.keys().miss();
        return keys.size() == 0 || ring.keys().lastFailure() != null
            ? Result.UNVERIFIABLE.check()
            : Result.UNKNOWN_KEY.check();
      }
      if (!keys.verifies(jwt)) {
        return Result.SIGNATURE.check();
      }
      TokenCheck accepted = TokenCheck.accepted(claims.scalars());
      double expiresMillis = (claims.expires() + leewaySeconds) * MILLIS;
      verified.put(token, keys, accepted, nowMillis, expiresMillis);
      return accepted;
    } catch (ParseException | IOException | RuntimeException malformed) {
      return Result.MALFORMED.check();
    }
  }

  private static TokenClaims payload(JWT jwt) throws IOException {
    return TokenClaims.parse(Base64.getUrlDecoder().decode(jwt.getParsedParts()[1].toString()));
  }

  private Result result(TokenClaims claims, long nowMillis) {
    return claims.result(nowMillis / MILLIS, leewaySeconds, settings.issuer(), settings.audience());
  }
}
