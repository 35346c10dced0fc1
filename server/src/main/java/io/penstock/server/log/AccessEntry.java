package io.penstock.server.log;

import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request that is over, for the access log. Immutable.
 *
 * @param time when it came
 * @param verdict what the policy said; null if it was not asked
 */
public record AccessEntry(Instant time, Asked asked, Answered answered, @Nullable Verdict verdict) {
  /**
   * What the client sent, as it sent it.
   *
   * @param client its address
   */
  public record Asked(
      String client,
      String method,
      String target,
      String protocol,
      @Nullable String host,
      @Nullable String referrer,
      @Nullable String userAgent,
      @Nullable String requestId) {}

  /**
   * What became of it.
   *
   * @param bytes of the body that was sent
   * @param nanos from the head of the request to the end of the response
   * @param upstreamStatus what the origin answered; 0 if it did not
   */
  public record Answered(int status, long bytes, long nanos, int upstreamStatus) {}

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
