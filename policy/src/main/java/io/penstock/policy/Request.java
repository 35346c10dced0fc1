package io.penstock.policy;

import io.penstock.policy.address.IpAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request. Rules ask only for what they name, so implementations may find things
 * out when asked. Used by one thread at a time.
 *
 * <p>What is not there is null, and never an empty guess. A header, query parameter or cookie that
 * comes more than once is all its values joined by a comma and a space; {@link #values} has each.
 */
public interface Request {
  /** What {@link #cost} says when the caller states none. */
  long UNSTATED = -1;

  /** The client's address. */
  @Nullable IpAddress address();

  /** The method, as sent. */
  @Nullable String method();

  /** The path, without the query. */
  @Nullable String path();

  /** The host asked for in lower case, without a port. */
  @Nullable String host();

  /** A header by its name in lower case. */
  @Nullable String header(String name);

  /** A query parameter, decoded. */
  @Nullable String query(String name);

  /** A cookie. */
  @Nullable String cookie(String name);

  /** A claim of a token that was verified, if it is a string, a number or a boolean. */
  @Nullable String claim(String name);

  /**
   * Whether there is a token that can't be verified, because the keys for that are unavailable. Its
   * claims are null then, but not known to be missing.
   */
  default boolean claimsUnverifiable() {
    return false;
  }

  /** Something that the caller knows, such as {@code user_id} or {@code plan}. */
  @Nullable String attribute(String name);

  /**
   * The values of a header, query parameter, cookie or claim in the order sent. Asked only if there
   * may be several: the value of {@code attribute} has a comma and a space in it.
   */
  default List<String> values(Attribute attribute) {
    String value = attribute.of(this);
    return value == null ? List.of() : List.of(value);
  }

  /**
   * What the request costs under rules that don't say so themselves, in thousandths of a token; 0
   * asks without taking, {@link #UNSTATED} leaves it to the rules.
   */
  default long cost() {
    return UNSTATED;
  }
}
