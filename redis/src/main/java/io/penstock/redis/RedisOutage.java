package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Why and where Redis is unavailable. Contains no user names and no passwords.
 *
 * @param address the address of the server, such as {@code redis:6379}; several addresses,
 *     separated by commas, for sentinels; empty if it is unknown
 * @param detail information in addition to the description of the reason; may be empty
 */
public record RedisOutage(UnavailableReason reason, String address, String detail) {
  private static final int MAX_DETAIL_LENGTH = 200;

  /** The user in an error reply, as in {@code NOPERM User alice has no permissions …}. */
  private static final Pattern USER = Pattern.compile("^NOPERM User \\S+");

  private static final Pattern CREDENTIALS = Pattern.compile("//[^/@\\s]*@");

  public RedisOutage {
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(detail, "detail");
  }

  /**
   * Returns the outage that a failure indicates.
   *
   * @param failure null after a timeout
   */
  static RedisOutage of(UnavailableReason reason, String address, @Nullable Throwable failure) {
    return new RedisOutage(
        reason, address, failure != null && reason.needsDetail() ? detail(failure) : "");
  }

  /** Returns the message of a failure, without user names and passwords. */
  static String detail(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && !(root instanceof RedisCommandExecutionException)) {
      root = root.getCause();
    }
    String message =
        root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    String line = message.lines().findFirst().orElse("");
    String anonymous = USER.matcher(line).replaceFirst("NOPERM User");
    String safe = CREDENTIALS.matcher(anonymous).replaceAll("//");
    return safe.substring(0, Math.min(safe.length(), MAX_DETAIL_LENGTH));
  }

  /** Returns "Redis", with the address if it is known. */
  static String redisAt(String address) {
    return address.isEmpty() ? "Redis" : "Redis at " + address;
  }

  private String state() {
    return reason == UnavailableReason.CPU_STARVED
        ? " is considered unavailable"
        : " is unavailable";
  }

  /**
   * Returns a sentence such as "Cannot connect to Redis at redis:6379 (NOAUTH: the server requires
   * a password, and none is configured)".
   */
  @Override
  public String toString() {
    String redis = redisAt(address);
    return (reason.preventsConnection() ? "Cannot connect to " + redis : redis + state())
        + " ("
        + reason.name()
        + ": "
        + reason.description()
        + (detail.isEmpty() ? "" : ": " + detail)
        + ")";
  }
}
