package io.penstock.policy.http;

import static io.penstock.policy.http.Rounding.TOKEN;

import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Rule;
import io.penstock.policy.Verdict;
import java.util.List;
import java.util.Optional;

/**
 * Renders verdicts as HTTP responses, in the same way for all integrations. Thread-safe. Reads no
 * clock: responses depend only on the verdict.
 *
 * <p>Verdicts without an enforcing rule have no headers. Shadow rules never appear.
 */
public final class VerdictResponses {
  private static final int DEFAULT_STATUS = 0;

  private static final String CONTENT_TYPE = "Content-Type";
  private static final String PROBLEM_TYPE = "application/problem+json";
  private static final String JSON_TYPE = "application/json";

  private static final String RATE_LIMIT = "RateLimit";
  private static final String RATE_LIMIT_POLICY = "RateLimit-Policy";
  private static final String RETRY_AFTER = "Retry-After";
  private static final String PENSTOCK_REASON = "X-Penstock-Reason";
  private static final String PENSTOCK_DEGRADED = "Penstock-Degraded";

  private final HeaderFormat form;
  private final Jitter jitter;
  private final String limitName;
  private final String remainingName;
  private final String resetName;
  private final QuotaCache quotas = new QuotaCache();

  public VerdictResponses(HeaderFormat form, Jitter jitter) {
    this.form = form;
    this.jitter = jitter;
    this.limitName = form.prefix() + "-Limit";
    this.remainingName = form.prefix() + "-Remaining";
    this.resetName = form.prefix() + "-Reset";
  }

  /**
   * Adds the header fields of the response to a denied request, and returns the rest of it.
   *
   * @throws IllegalArgumentException if the verdict is not a denial
   */
  public HttpAnswer deny(Verdict verdict, HeaderSink sink) {
    return deny(verdict, DEFAULT_STATUS, sink);
  }

  /**
   * Like {@link #deny(Verdict, HeaderSink)}, with another status.
   *
   * @param status the status of the response, also in its body; 0 for the default
   */
  public HttpAnswer deny(Verdict verdict, int status, HeaderSink sink) {
    int sent = status == DEFAULT_STATUS ? status(verdict) : status;
    byte[] problem = problem(verdict, sent);
    headers(verdict, sink);
    sink.add(CONTENT_TYPE, PROBLEM_TYPE);
    return new HttpAnswer(sent, problem);
  }

  /**
   * Adds the header fields of a response that describes a verdict in JSON, and returns the rest of
   * it. The fields about limits are part of the body.
   */
  public HttpAnswer describe(Verdict verdict, HeaderSink sink) {
    sink.add(CONTENT_TYPE, JSON_TYPE);
    degradation(verdict, sink);
    return new HttpAnswer(HttpAnswer.PASS, CheckJson.bytes(verdict));
  }

  /**
   * Like {@link #describe(Verdict, HeaderSink)}, for the verdicts on several requests. The response
   * has the degradation of the first degraded one.
   */
  public HttpAnswer describe(List<Verdict> verdicts, HeaderSink sink) {
    sink.add(CONTENT_TYPE, JSON_TYPE);
    verdicts.stream()
        .filter(Verdict::degraded)
        .findFirst()
        .ifPresent(verdict -> degradation(verdict, sink));
    return new HttpAnswer(HttpAnswer.PASS, CheckJson.bytes(verdicts));
  }

  /** Returns the status for a verdict, as in {@link HttpAnswer#status}. */
  public int status(Verdict verdict) {
    if (verdict == Verdict.PATH_REJECTED) {
      return HttpAnswer.BAD_REQUEST;
    }
    Optional<Outcome> decisive = verdict.decisive();
    if (verdict.allowed() || decisive.isEmpty()) {
      return HttpAnswer.PASS;
    }
    return isUnavailable(decisive.get()) ? HttpAnswer.UNAVAILABLE : HttpAnswer.TOO_MANY_REQUESTS;
  }

  private byte[] problem(Verdict verdict, int status) {
    if (verdict == Verdict.PATH_REJECTED) {
      return ProblemDetails.rejectedPath(status);
    }
    Outcome decisive =
        verdict
            .decisive()
            .filter(outcome -> !outcome.decision().allowed())
            .orElseThrow(
                () -> new IllegalArgumentException("verdict must be a denial: " + verdict));
    if (status != HttpAnswer.TOO_MANY_REQUESTS || !isOnlyExceeded(verdict, decisive)) {
      return ProblemDetails.bytes(status, decisive, verdict.outcomes());
    }
    Decision decision = decisive.decision();
    return quotas
        .of(decisive.rule().name(), 0, decision.limit())
        .problem(decision, () -> ProblemDetails.beforeWait(status, decisive, verdict.outcomes()));
  }

  /**
   * Returns whether a request was denied for the usual reason by the only limit that applies. Then
   * its problem differs from that of other requests only in the wait.
   */
  private static boolean isOnlyExceeded(Verdict verdict, Outcome decisive) {
    Decision decision = decisive.decision();
    return verdict.outcomes().size() == 1
        && decisive.rule().limits().size() == 1
        && !decision.neverAllowed()
        && decision.reason().filter(decision.limit().exceeded()::equals).isPresent();
  }

  /** Adds the header fields for a verdict, whether it allows or denies. */
  public void headers(Verdict verdict, HeaderSink sink) {
    if (verdict == Verdict.PATH_REJECTED) {
      sink.add(PENSTOCK_REASON, Reason.PATH_REJECTED.code());
      return;
    }
    Optional<Outcome> decisive = verdict.decisive();
    if (decisive.isEmpty()) {
      return;
    }
    degradation(verdict, sink);
    Outcome outcome = decisive.get();
    if (form != HeaderFormat.NONE) {
      levels(outcome, verdict.outcomes(), sink);
    }
    if (!outcome.decision().allowed()) {
      denial(outcome, sink);
    }
  }

  /** Labels a response to a request that a failure policy decided, with the reason. */
  private static void degradation(Verdict verdict, HeaderSink sink) {
    Reason degradation = verdict.degradation();
    if (degradation != null) {
      sink.add(PENSTOCK_DEGRADED, degradation.code());
    }
  }

  /** Returns whether {@link #headers} adds fields about limits. */
  public boolean hasLevels(Verdict verdict) {
    return form != HeaderFormat.NONE && verdict.decisive().isPresent();
  }

  private void levels(Outcome decisive, List<Outcome> outcomes, HeaderSink sink) {
    Decision decision = decisive.decision();
    Rule rule = decisive.rule();
    Quota quota = quotas.of(rule.name(), LimitNumbers.of(rule, decision), decision.limit());
    String remaining = Long.toString(decision.remainingThousandths() / TOKEN);
    long seconds = quota.resetSeconds(decision);
    String reset = seconds < 0 ? null : Long.toString(seconds);
    if (form.hasTriple()) {
      sink.add(limitName, quota.burst());
      sink.add(remainingName, remaining);
      if (reset != null) {
        sink.add(resetName, reset);
      }
    }
    if (!form.hasDraft()) {
      return;
    }
    if (outcomes.size() == 1 && rule.limits().size() == 1) {
      sink.add(RATE_LIMIT, quota.current(remaining, reset));
      sink.add(RATE_LIMIT_POLICY, quota.policy());
    } else {
      lists(outcomes, sink);
    }
  }

  private void lists(List<Outcome> outcomes, HeaderSink sink) {
    StringBuilder current = new StringBuilder();
    StringBuilder policies = new StringBuilder();
    for (int i = 0; i < outcomes.size(); i++) {
      Outcome outcome = outcomes.get(i);
      if (outcome.mode() != Mode.ENFORCE) {
        continue;
      }
      Rule rule = outcome.rule();
      for (int limit = 0; limit < rule.limits().size(); limit++) {
        int number = LimitNumbers.of(rule, limit);
        separate(policies)
            .append(quotas.of(rule.name(), number, rule.limits().get(limit)).policy());
      }
      List<Decision> results = outcome.decision().results();
      for (int result = 0; result < results.size(); result++) {
        Decision decision = results.get(result);
        int number = LimitNumbers.of(rule, results, result);
        Quota quota = quotas.of(rule.name(), number, decision.limit());
        quota.current(
            separate(current),
            decision.remainingThousandths() / TOKEN,
            quota.resetSeconds(decision));
      }
    }
    sink.add(RATE_LIMIT, current.toString());
    sink.add(RATE_LIMIT_POLICY, policies.toString());
  }

  private static StringBuilder separate(StringBuilder list) {
    return list.length() == 0 ? list : list.append(", ");
  }

  private void denial(Outcome outcome, HeaderSink sink) {
    Decision decision = outcome.decision();
    // A zero wait while the store is unavailable is not a useful hint.
    if (!decision.neverAllowed() && !(decision.retryAfter().isZero() && isUnavailable(outcome))) {
      long wait = Math.max(1, Rounding.seconds(decision.retryAfter()));
      long added = jitter.added(wait, outcome.rule().name(), outcome.key());
      sink.add(RETRY_AFTER, Long.toString(wait + added));
    }
    Optional<Reason> reason = decision.reason();
    if (reason.isPresent()) {
      sink.add(PENSTOCK_REASON, reason.get().code());
    }
  }

  /** Returns whether the request was denied because no decision could be made. */
  private static boolean isUnavailable(Outcome outcome) {
    return outcome.decision().reason().filter(Reason::isUnavailable).isPresent();
  }
}
