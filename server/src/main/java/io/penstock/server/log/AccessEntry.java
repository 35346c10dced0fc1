package io.penstock.server.log;

import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request that is over, for the access log. Immutable.
 *
 * @param time when it came
 * @param verdict what the policy said; null if it was not asked
 */
public record AccessEntry(
    Instant time, RequestInfo asked, ResponseInfo answered, @Nullable Verdict verdict) {
  /**
   * The request, as the client sent it.
   *
   * @param client its address
   * @param requestId as the origin got it: the client's, or the one that it was given here
   */
  public record RequestInfo(
      String client,
      String method,
      String target,
      String protocol,
      @Nullable String host,
      @Nullable String referrer,
      @Nullable String userAgent,
      @Nullable String requestId) {}

  /**
   * The response.
   *
   * @param status {@link #CLIENT_CLOSED_REQUEST} if the client closed before any of it was sent
   * @param bytes of the body that was sent
   * @param nanos from the head of the request to the end of the response
   * @param upstreamStatus what the origin answered; 0 if it did not
   * @param aborted who ended it before it was complete; null if it is
   */
  public record ResponseInfo(
      int status, long bytes, long nanos, int upstreamStatus, @Nullable AbortedBy aborted) {
    /** The status that nginx logs for these; no client ever gets it. */
    public static final int CLIENT_CLOSED_REQUEST = 499;
  }

  /** Who ended a response before it was complete. */
  public enum AbortedBy {
    /** The client closed its connection or reset the stream, or read too slowly. */
    CLIENT,
    /** The origin broke off its response or took too long. */
    UPSTREAM,
    /** A failure in this process. */
    SERVER;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What was decided, in a word; null if nothing was. */
  @Nullable String decision() {
    if (verdict == null) {
      return null;
    }
    if (!verdict.allowed()) {
      return "denied";
    }
    if (verdict.degraded()) {
      return "degraded";
    }
    return deniedInShadow() == null ? "allowed" : "shadow";
  }

  /** The outcome that the word is about; null if no rule applied. */
  @Nullable Outcome outcome() {
    if (verdict == null) {
      return null;
    }
    Outcome shadow = verdict.allowed() && !verdict.degraded() ? deniedInShadow() : null;
    return shadow == null ? verdict.decisive().orElse(null) : shadow;
  }

  private @Nullable Outcome deniedInShadow() {
    if (verdict != null) {
      for (Outcome outcome : verdict.outcomes()) {
        if (outcome.mode() == Mode.SHADOW && !outcome.decision().allowed()) {
          return outcome;
        }
      }
    }
    return null;
  }
}
