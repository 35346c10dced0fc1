package io.penstock.policy.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jwt.EncryptedJWT;
import com.nimbusds.jwt.JWT;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.text.ParseException;
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
  private static final int LONGEST_TOKEN = 16 * 1024;
  private static final String BEARER = "Bearer ";
  private static final double MILLIS = 1000;

  private final JwtSettings settings;
  private final Set<JWSAlgorithm> algorithms;
  private final InstantSource clock;
  private final KeyRing ring;
  private final VerifiedTokens verified = new VerifiedTokens();
  private final double leewaySeconds;

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

  /** A verifier in the time of {@code clock}, otherwise the same. */
  public JwtVerifier(JwtSettings settings, InstantSource clock) {
    this(settings, clock, KeyRing.open(settings.keys(), clock));
  }

  JwtVerifier(JwtSettings settings, InstantSource clock, KeyRing ring) {
    this.settings = settings;
    this.clock = clock;
    this.ring = ring;
    this.algorithms =
        settings.algorithms().stream().map(Algorithms::known).collect(Collectors.toSet());
    this.leewaySeconds = settings.leeway().toMillis() / MILLIS;
  }

  /**
   * One under other settings. Keys that come from the same place are those that this one has: where
   * they come from may be away just now.
   *
   * @throws IllegalArgumentException if a file of keys can't be read
   */
  public JwtVerifier under(JwtSettings other) {
    return Objects.equals(other.keys(), settings.keys())
        ? new JwtVerifier(other, clock, ring)
        : new JwtVerifier(other, clock);
  }

  /**
   * The claims of the token in an {@code Authorization} header that are strings, numbers or
   * booleans, as text; none if there is no token that counts.
   */
  public Map<String, String> claims(@Nullable String authorization) {
    String token = authorization == null ? null : token(authorization);
    if (token == null) {
      return Map.of();
    }
    try {
      return switch (settings.trust()) {
        case NONE -> Map.of();
        case DECODE_ONLY -> decoded(token);
        case VERIFY -> verified(token);
      };
    } catch (ParseException | IOException | RuntimeException e) {
      // A client's nonsense: the token doesn't count, and nobody needs to know more.
      return Map.of();
    }
  }

  /** How the keys are, for people who ask why tokens don't count. */
  public Status status() {
    return new Status(ring.keys().current().size(), ring.keys().lastFailure());
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

  private static @Nullable String token(String authorization) {
    int at = BEARER.length();
    if (!authorization.regionMatches(true, 0, BEARER, 0, at)) {
      return null;
    }
    while (at < authorization.length() && authorization.charAt(at) == ' ') {
      at++;
    }
    int length = authorization.length() - at;
    if (length > LONGEST_TOKEN) {
      return null;
    }
    for (int i = at; i < authorization.length(); i++) {
      if (!isCompact(authorization.charAt(i))) {
        return null;
      }
    }
    return authorization.substring(at);
  }

  private static boolean isCompact(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_'
        || c == '.';
  }

  private Map<String, String> decoded(String token) throws ParseException, IOException {
    JWT jwt = JWTParser.parse(token);
    if (jwt instanceof EncryptedJWT) {
      return Map.of();
    }
    Claims claims = payload(jwt);
    return counts(claims, clock.millis()) ? claims.scalars() : Map.of();
  }

  private Map<String, String> verified(String token) throws ParseException, IOException {
    KeySet keys = ring.keys().current();
    long nowMillis = clock.millis();
    Map<String, String> known = verified.get(token, keys, nowMillis);
    if (known != null) {
      return known;
    }
    SignedJWT jwt = SignedJWT.parse(token);
    if (!algorithms.contains(jwt.getHeader().getAlgorithm())
        || !jwt.getHeader().isBase64URLEncodePayload()) {
      return Map.of();
    }
    if (keys.lacksKeyOf(jwt.getHeader())) {
      ring.keys().miss();
      return Map.of();
    }
    if (!keys.verifies(jwt)) {
      return Map.of();
    }
    Claims claims = payload(jwt);
    if (!counts(claims, nowMillis)) {
      return Map.of();
    }
    double expiresMillis = (claims.expires() + leewaySeconds) * MILLIS;
    verified.put(token, keys, claims, nowMillis, expiresMillis);
    return claims.scalars();
  }

  private static Claims payload(JWT jwt) throws IOException {
    return Claims.parse(Base64.getUrlDecoder().decode(jwt.getParsedParts()[1].toString()));
  }

  private boolean counts(Claims claims, long nowMillis) {
    return claims.isInForce(nowMillis / MILLIS, leewaySeconds)
        && claims.isFromAndFor(settings.issuer(), settings.audience());
  }
}
