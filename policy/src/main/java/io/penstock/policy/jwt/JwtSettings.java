package io.penstock.policy.jwt;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whose tokens count, and when. Immutable.
 *
 * @param trust whether tokens are verified
 * @param keys what signatures are verified with; only there when they are
 * @param algorithms the only algorithms that a token may be signed with
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
}
