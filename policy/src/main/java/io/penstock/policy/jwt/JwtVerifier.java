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
 * Tells the claims of tokens that count. For many threads; neither blocks nor throws, whatever a
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
   * How the keys are.
   *
   * @param keys how many are in force
   * @param lastFailure why they could not be brought last time; null if they could
   */
  public record Status(int keys, @Nullable String lastFailure) {}

  /**
   * A verifier in real time. Keys from a URL are fetched in the background; this waits for them for
   * two seconds at most, and no token counts until they are there.
   *
   * @throws IllegalArgumentException if a file of keys can't be read
   */
  public JwtVerifier(JwtSettings settings) {
    this(settings, InstantSource.system());
  }

  /**
   * A verifier in real time that tells {@code observer}, otherwise the same.
   *
   * @param ipv6Prefix how many bits of an IPv6 address tell senders of bad tokens apart
   */
  public JwtVerifier(JwtSettings settings, int ipv6Prefix, JwtObserver observer) {
    this(settings, ipv6Prefix, InstantSource.system(), observer);
  }

  /** A verifier in the time of {@code clock}, otherwise the same. */
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
   * This verifier if the settings are the same, else one under other settings. Keys from the same
   * source are kept: the source may be unavailable just now.
   *
   * @throws IllegalArgumentException if a file of keys can't be read
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
   * The claims of the token in an {@code Authorization} header that are strings, numbers or
   * booleans, as text; none if there is no token that counts.
   */
  public Map<String, String> claims(@Nullable String authorization) {
    return check(authorization, null).claims();
  }

  /**
   * Finds out what the token in an {@code Authorization} header is.
   *
   * @param client who sent it; null if that isn't known. Who sends many bad ones has the rest
   *     rejected unseen, but for those that were accepted lately.
   */
  public TokenCheck check(@Nullable String authorization, @Nullable IpAddress client) {
    if (authorization == null || settings.trust() == JwtSettings.Trust.NONE) {
      return Result.ABSENT.check();
    }
    if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return Result.ABSENT.check();
    }
    TokenCheck check = looked(token(authorization), client);
    if (check.result().isRejection()) {
      observer.rejected(check.result());
    }
    return check;
  }

  private TokenCheck looked(String token, @Nullable IpAddress client) {
    if (token.length() > MAX_TOKEN_LENGTH) {
      return Result.MALFORMED.check();
    }
    if (settings.trust() == JwtSettings.Trust.DECODE_ONLY) {
      return isCompact(token) ? decoded(token) : Result.MALFORMED.check();
    }
    KeySet keys = ring.keys().current();
    long nowMillis = clock.millis();
    // Most tokens were seen before. What is known was well-formed, so that is not checked again.
    TokenCheck known = verified.get(token, keys, nowMillis);
    if (known != null) {
      return known;
    }
    return isCompact(token) ? unknown(token, keys, nowMillis, client) : Result.MALFORMED.check();
  }

  private TokenCheck unknown(
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
        // Accepted, or it may be later.
      }
    }
    return check;
  }

  /** How the keys are, for people who ask why tokens don't count. */
  public Status status() {
    return new Status(ring.keys().current().size(), ring.keys().lastFailure());
  }

  /** Whether there may be tokens that can't be verified now. Costs nothing, unlike a check. */
  public boolean mayLackKeys() {
    return settings.trust() == JwtSettings.Trust.VERIFY && ring.keys().lastFailure() != null;
  }

  /** How long ago the keys were last found to be current; zero if they are fixed. */
  public Duration keysAge() {
    long now = clock.millis();
    return Duration.ofMillis(Math.max(0, now - ring.keys().fetchedAtMillis(now)));
  }

  @Override
  public void close() {
    ring.close();
  }

  /** Closes it while another is used, which may have the same keys. */
  public void closeBeside(JwtVerifier other) {
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
    } catch (ParseException | IOException | RuntimeException nonsense) {
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
      // Claims are read first: to find a token expired costs much less than its signature.
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
    } catch (ParseException | IOException | RuntimeException nonsense) {
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
