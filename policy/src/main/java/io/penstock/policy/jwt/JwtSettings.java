package io.penstock.policy.jwt;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whose tokens count, and when. Immutable.
 *
 * @param trust whether tokens are verified
 * @param keys what signatures are verified with; only there when they are
 * @param algorithms the only algorithms that a token may be signed with; only there with keys
 * @param issuer who must have issued a token; null for anybody
 * @param audience whom a token must be for, one of these; empty for anybody
 * @param leeway how far clocks may be apart
 */
public record JwtSettings(
    Trust trust,
    @Nullable KeySource keys,
    List<String> algorithms,
    @Nullable String issuer,
    List<String> audience,
    Duration leeway) {
  private static final Duration MAX_LEEWAY = Duration.ofHours(1);

  /** No token counts. */
  public static final JwtSettings NONE =
      new JwtSettings(Trust.NONE, null, List.of(), null, List.of(), Duration.ZERO);

  /** Tokens are believed as they are: something in front has verified them. */
  public static final JwtSettings TRUSTED =
      new JwtSettings(Trust.DECODE_ONLY, null, List.of(), null, List.of(), Duration.ZERO);

  /** How a token comes to count. */
  public enum Trust {
    NONE,
    DECODE_ONLY,
    VERIFY
  }

  public JwtSettings {
    algorithms = List.copyOf(algorithms);
    audience = List.copyOf(audience);
    if (leeway.isNegative() || leeway.compareTo(MAX_LEEWAY) > 0) {
      throw new IllegalArgumentException("leeway must be from 0 to " + MAX_LEEWAY + ": " + leeway);
    }
    if (trust != Trust.VERIFY) {
      if (keys != null || !algorithms.isEmpty()) {
        throw new IllegalArgumentException(
            "keys and algorithms are for tokens that are verified, but trust is " + trust);
      }
    } else if (keys == null) {
      throw new IllegalArgumentException("tokens can't be verified without keys");
    } else if (algorithms.isEmpty()) {
      throw new IllegalArgumentException("at least one algorithm must be named");
    } else {
      algorithms.forEach(keys::check);
    }
  }

  /** Tokens that {@code keys} verify with the algorithms usual for them, from and for anybody. */
  public static JwtSettings verifying(KeySource keys) {
    return new JwtSettings(
        Trust.VERIFY, keys, keys.defaultAlgorithms(), null, List.of(), Duration.ZERO);
  }
}
