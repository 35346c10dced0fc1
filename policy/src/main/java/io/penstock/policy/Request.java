package io.penstock.policy;

import io.penstock.policy.address.IpAddress;
import io.penstock.policy.jwt.TokenCheck;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a request. Rules read only the attributes that they refer to, so
 * implementations may compute values lazily. Used by one thread at a time.
 *
 * <p>Missing values are null. A header, query parameter or cookie that is repeated has all its
 * values joined by a comma and a space; {@link #values} returns them one by one.
 */
public interface Request {
  /** The result of {@link #costThousandths} if the caller states no cost. */
  long UNSTATED = -1;

  /** Returns the client's address. */
  @Nullable IpAddress address();

  /** Returns the method as sent. */
  @Nullable String method();

  /** Returns the path without the query. */
  @Nullable String path();

  /** Returns the requested host in lower case, without a port. */
  @Nullable String host();

  /** Returns a header by its name in lower case. */
  @Nullable String header(String name);

  /**
   * Returns a decoded query parameter. Its values include those that only some origins read; see
   * {@link #isAmbiguous}.
   */
  @Nullable String query(String name);

  /**
   * Returns a cookie in its canonical form, without quotes and escapes. Its values include those
   * that only some origins read; see {@link #isAmbiguous}.
   */
  @Nullable String cookie(String name);

  /** Returns a claim of a verified token, if it is a string, a number or a boolean. */
  @Nullable String claim(String name);

  /**
   * Returns whether the request has a token that cannot be verified because the keys are
   * unavailable. Its claims are then null, but they may be present.
   */
  default boolean claimsUnverifiable() {
    return false;
  }

  /** Returns the result of verifying the token of the request, which explanations show. */
  default TokenCheck.Result tokenResult() {
    return TokenCheck.Result.ABSENT;
  }

  /** Returns an attribute supplied by the caller, such as {@code user_id} or {@code plan}. */
  @Nullable String attribute(String name);

  /**
   * Returns the values of a header, query parameter, cookie or claim in the order sent. Called only
   * if there may be several, that is, if the value of {@code attribute} contains a comma and a
   * space.
   */
  default List<String> values(Attribute attribute) {
    String value = attribute.of(this);
    return value == null ? List.of() : List.of(value);
  }

  /**
   * Returns whether origins differ in the values that they read of a query parameter or cookie. It
   * then has at least two {@link #values}.
   */
  default boolean isAmbiguous(Attribute attribute) {
    return false;
  }

  /**
   * Returns the cost of the request under rules without a {@code cost_source}. 0 checks the limits
   * without taking tokens; {@link #UNSTATED} uses the cost of each rule.
   */
  default long costThousandths() {
    return UNSTATED;
  }
}
