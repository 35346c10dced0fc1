package io.penstock.policy.jwt;

import static java.util.stream.Collectors.toUnmodifiableMap;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The result of checking a token. Immutable.
 *
 * @param claims strings as they are, numbers and booleans as text; empty unless the token was
 *     accepted
 */
public record TokenCheck(Result result, Map<String, String> claims) {
  private static final Map<Result, TokenCheck> WITHOUT_CLAIMS =
      Stream.of(Result.values())
          .collect(toUnmodifiableMap(result -> result, result -> new TokenCheck(result, Map.of())));

  /** The outcomes of a check. */
  public enum Result {
    /** There is no bearer token. */
    ABSENT,
    ACCEPTED,
    /** No keys are available to verify the token, so it may be valid or not. */
    UNVERIFIABLE,
    /** The token is not a signed token, or its claims can't be parsed. */
    MALFORMED,
    /** The token is signed with an algorithm that is not accepted. */
    ALGORITHM,
    /** The token refers to a key that the issuer doesn't have. */
    UNKNOWN_KEY,
    SIGNATURE,
    EXPIRED,
    NOT_YET_VALID,
    ISSUER,
    AUDIENCE,
    /** The token was not verified because its sender sent too many invalid ones recently. */
    THROTTLED;

    private final String code = name().toLowerCase(Locale.ROOT);

    /** Returns the name in metrics. */
    public String code() {
      return code;
    }

    /**
     * Returns whether the token was rejected because of itself or its sender, rather than for lack
     * of keys.
     */
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
