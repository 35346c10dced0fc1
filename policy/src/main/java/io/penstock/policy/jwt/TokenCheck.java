package io.penstock.policy.jwt;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What a token was found to be. Immutable.
 *
 * @param claims strings as they are, numbers and booleans as text; none unless it was accepted
 */
public record TokenCheck(Result result, Map<String, String> claims) {
  private static final Map<Result, TokenCheck> WITHOUT_CLAIMS =
      Stream.of(Result.values())
          .collect(toUnmodifiableMap(result -> result, result -> new TokenCheck(result, Map.of())));

  /** What can come of a check. */
  public enum Result {
    /** There is no bearer token. */
    ABSENT,
    ACCEPTED,
    /** There are no keys to verify it with at the moment: it may be good or not. */
    UNVERIFIABLE,
    /** It is no signed token, or its claims can't be read. */
    MALFORMED,
    /** It is signed with an algorithm that is not accepted. */
    ALGORITHM,
    /** It names a key that the issuer doesn't have. */
    UNKNOWN_KEY,
    SIGNATURE,
    EXPIRED,
    NOT_YET_VALID,
    ISSUER,
    AUDIENCE,
    /** Its sender sent so many bad ones lately that it was not looked at. */
    THROTTLED;

    private final String code = name().toLowerCase(Locale.ROOT);

    /** The name in metrics. */
    public String code() {
      return code;
    }

    /** Whether it is a token that doesn't count, for a reason of its own. */
    public boolean isRejection() {
      return this != ABSENT && this != ACCEPTED && this != UNVERIFIABLE;
    }

    TokenCheck check() {
      return Objects.requireNonNull(WITHOUT_CLAIMS.get(this));
    }
  }

  static TokenCheck accepted(Map<String, String> claims) {
    return new TokenCheck(Result.ACCEPTED, claims);
  }
}
