package io.penstock.server.log;

import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A finished request, for the access log. Immutable.
 *
 * @param time when the request arrived
 * @param verdict the decision of the policy; null if none was made
 */
public record AccessEntry(
    Instant time, RequestInfo request, ResponseInfo response, @Nullable Verdict verdict) {
  /**
   * The request as the client sent it.
   *
   * @param client the address of the client
   * @param method null if the request could not be read; likewise the target and the protocol
   * @param requestId the id that the origin received: the client's, or a generated one
   */
  public record RequestInfo(
      String client,
      @Nullable String method,
      @Nullable String target,
      @Nullable String protocol,
      @Nullable String host,
      @Nullable String referrer,
      @Nullable String userAgent,
      @Nullable String requestId) {}

  /**
   * The response.
   *
   * @param status {@link #CLIENT_CLOSED_REQUEST} if the client disconnected before the response
   *     started
   * @param bytes the size of the body that was sent
   * @param nanos the time from the head of the request to the end of the response
   * @param upstreamStatus the status of the origin; 0 if it did not respond
   * @param aborted the side that aborted the response; null if it is complete
   */
  public record ResponseInfo(
      int status, long bytes, long nanos, int upstreamStatus, @Nullable AbortedBy aborted) {
    /** The status that nginx logs for such requests; no client receives it. */
    public static final int CLIENT_CLOSED_REQUEST = 499;
  }

  /** The side that aborted a response. */
  public enum AbortedBy {
    /** The client disconnected, reset the stream, or read too slowly. */
    CLIENT,
    /** The origin aborted its response or timed out. */
    UPSTREAM,
    /** An internal error. */
    SERVER;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the decision as a word; null if none was made. */
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

  /** Returns the outcome that the decision is based on; null if no rule applied. */
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
