package io.penstock.policy.jwt;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which tokens are accepted. Immutable.
 *
 * @param trust whether tokens are verified
 * @param keys the source of verification keys; null unless tokens are verified
 * @param algorithms the accepted signature algorithms; empty unless tokens are verified
 * @param issuer the required issuer; null for any
 * @param audience the accepted audiences, one of which is required; empty for any
 * @param leeway the tolerated clock skew
 */
public record JwtSettings(
    Trust trust,
    @Nullable KeySource keys,
    List<String> algorithms,
    @Nullable String issuer,
    List<String> audience,
    Duration leeway) {
  private static final Duration MAX_LEEWAY = Duration.ofHours(1);

  /** Accepts no tokens. */
  public static final JwtSettings NONE =
      new JwtSettings(Trust.NONE, null, List.of(), null, List.of(), Duration.ZERO);

  /** Accepts no tokens; callers of {@code /v1/check} supply claims. */
  public static final JwtSettings CALLER =
      new JwtSettings(Trust.CALLER, null, List.of(), null, List.of(), Duration.ZERO);

  /** Accepts tokens without verification, because a component in front has verified them. */
  public static final JwtSettings TRUSTED =
      new JwtSettings(Trust.DECODE_ONLY, null, List.of(), null, List.of(), Duration.ZERO);

  /** How tokens are accepted. */
  public enum Trust {
    NONE("none"),
    /** The policy states that no tokens are accepted. */
    CALLER("caller"),
    DECODE_ONLY("trusted"),
    VERIFY("verify");

    private final String code;

    Trust(String code) {
      this.code = code;
    }

    /** Returns the name in policies and in the admin API. */
    public String code() {
      return code;
    }
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
            "keys and algorithms require trust VERIFY, but trust is " + trust);
      }
    } else if (keys == null) {
      throw new IllegalArgumentException("tokens can't be verified without keys");
    } else if (algorithms.isEmpty()) {
      throw new IllegalArgumentException("at least one algorithm is required");
    } else {
      algorithms.forEach(keys::check);
    }
  }

  /** Returns whether tokens are accepted, verified or not. */
  public boolean acceptTokens() {
    return trust == Trust.VERIFY || trust == Trust.DECODE_ONLY;
  }

  /**
   * Returns settings that verify tokens with {@code keys} and their default algorithms, for any
   * issuer and audience.
   */
  public static JwtSettings verifying(KeySource keys) {
    return new JwtSettings(
        Trust.VERIFY, keys, keys.defaultAlgorithms(), null, List.of(), Duration.ZERO);
  }
}
