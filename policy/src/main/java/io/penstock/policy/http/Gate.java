package io.penstock.policy.http;

import io.penstock.policy.Outcome;
import io.penstock.policy.Phase;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Request;
import io.penstock.policy.Rule;
import io.penstock.policy.RuleCall;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entry point to the engine for everything that receives HTTP requests: the listeners of the
 * server and the filters of an application. It creates requests, decides them, reports decisions to
 * an observer, and refunds charges; {@link #responses} renders the verdicts. Thread-safe.
 */
public final class Gate {
  private final PolicyEngine engine;
  private final VerdictResponses responses;
  private final GateObserver observer;
  private final boolean immediate;

  public Gate(PolicyEngine engine, VerdictResponses responses) {
    this(engine, responses, GateObserver.NONE);
  }

  public Gate(PolicyEngine engine, VerdictResponses responses, GateObserver observer) {
    this.engine = Objects.requireNonNull(engine, "engine");
    this.responses = Objects.requireNonNull(responses, "responses");
    this.observer = Objects.requireNonNull(observer, "observer");
    this.immediate = engine.decidesImmediately();
  }

  public PolicyEngine engine() {
    return engine;
  }

  public VerdictResponses responses() {
    return responses;
  }

  /** Returns whether {@link #decide} never waits, because the store is in process. */
  public boolean decidesImmediately() {
    return immediate;
  }

  /** Returns whether any rule may apply in a phase. */
  public boolean hasRules(Phase phase) {
    return engine.has(phase);
  }

  /**
   * Creates a request that came from {@code peer}, which is the client unless it is a trusted
   * proxy.
   *
   * @param peer the address of the client connection; null if it has none
   */
  public HttpRequest request(
      @Nullable IpAddress peer, RequestLine line, Headers headers, CallerAttributes attributes) {
    IpAddress client = peer == null ? null : engine.policy().clientAddress().resolve(peer, headers);
    return new HttpRequest(client, line, headers, engine.jwt(), attributes);
  }

  /**
   * Creates a request on behalf of a proxy that is trusted to state the client's address.
   *
   * @param proxy the address of the proxy, called only if the proxy states no client
   */
  public HttpRequest requestBehind(Supplier<IpAddress> proxy, RequestLine line, Headers headers) {
    IpAddress client = engine.policy().clientAddress().clientBehind(headers);
    return new HttpRequest(client == null ? proxy.get() : client, line, headers, engine.jwt());
  }

  /**
   * Decides a request by the rules of a phase, and charges it if it is allowed. The calling thread
   * waits for the store if necessary.
   */
  public Verdict decide(Request request, Phase phase) {
    long startNanos = System.nanoTime();
    return observed(request, engine.decide(request, phase), startNanos);
  }

  /** Decides a request by one manual rule, and waits for the store if necessary. */
  public Verdict decide(String manualRule, Request request) {
    long startNanos = System.nanoTime();
    return observed(request, engine.decide(manualRule, request), startNanos);
  }

  /** Like {@link #decide(Request, Phase)}, without blocking. */
  public CompletionStage<Verdict> decideAsync(Request request, Phase phase) {
    long startNanos = System.nanoTime();
    return engine
        .decideAsync(request, phase)
        .thenApply(verdict -> observed(request, verdict, startNanos));
  }

  /** Like {@link #decide(String, Request)}, without blocking. */
  public CompletionStage<Verdict> decideAsync(String manualRule, Request request) {
    long startNanos = System.nanoTime();
    return engine
        .decideAsync(manualRule, request)
        .thenApply(verdict -> observed(request, verdict, startNanos));
  }

  /** Receives a verdict from a call that doesn't block. */
  public interface VerdictHandler {
    void decided(Verdict verdict);

    /** The request could not be decided because of an error, which the observer has received. */
    void undecided();
  }

  /**
   * Decides a request by all rules without blocking, and charges it if it is allowed. If the store
   * decides immediately, the handler is called before this method returns, otherwise later.
   *
   * @param executor returns the executor that calls the handler later. It is asked on the calling
   *     thread, and only if needed
   */
  public void decide(Request request, Supplier<Executor> executor, VerdictHandler handler) {
    if (!immediate) {
      complete(decideAsync(request, Phase.WHOLE), executor.get(), handler);
      return;
    }
    Verdict verdict;
    try {
      verdict = decide(request, Phase.WHOLE);
    } catch (RuntimeException failure) {
      undecided(failure, handler);
      return;
    }
    handler.decided(verdict);
  }

  /**
   * Decides several manual rules together without blocking; the executor and the handler are those
   * of {@link #decide(Request, Supplier, VerdictHandler)}.
   *
   * @param calls must not be empty, nor refer to the same bucket twice
   * @param deadline how long a shadow rule that denies may delay the verdict
   */
  public void decide(
      List<RuleCall> calls,
      Duration deadline,
      Supplier<Executor> executor,
      VerdictHandler handler) {
    long startNanos = System.nanoTime();
    if (!immediate) {
      complete(
          engine
              .decideAllAsync(calls, deadline)
              .thenApply(verdict -> observed(decisive(calls, verdict), verdict, startNanos)),
          executor.get(),
          handler);
      return;
    }
    Verdict verdict;
    try {
      verdict = engine.decideAll(calls);
      verdict = observed(decisive(calls, verdict), verdict, startNanos);
    } catch (RuntimeException failure) {
      undecided(failure, handler);
      return;
    }
    handler.decided(verdict);
  }

  /** Returns the request of the call whose rule decided, or of the first one. */
  private static Request decisive(List<RuleCall> calls, Verdict verdict) {
    String rule = verdict.decisive().map(outcome -> outcome.rule().name()).orElse("");
    for (RuleCall call : calls) {
      if (call.rule().equals(rule)) {
        return call.request();
      }
    }
    return calls.get(0).request();
  }

  /**
   * Denies a request that its rules allowed, for a reason that they can't express. Its charges are
   * refunded, and the observer is notified of the denial.
   *
   * @param decisive the outcome that the denial is attributed to
   */
  public void deny(Request request, Verdict allowed, Outcome decisive) {
    refund(allowed);
    engine.deny(allowed, decisive);
    observer.denied(request, decisive);
  }

  /**
   * Evaluates a request without charging it; the parameters are those of {@link #decide(Request,
   * Supplier, VerdictHandler)}. The observer is not notified of the verdict.
   */
  public void peek(Request request, Supplier<Executor> executor, VerdictHandler handler) {
    complete(engine.peek(request), executor.get(), handler);
  }

  private void complete(
      CompletionStage<Verdict> pending, Executor executor, VerdictHandler handler) {
    var unused =
        pending.whenComplete(
            (verdict, failure) ->
                executor.execute(
                    () -> {
                      if (failure == null) {
                        handler.decided(verdict);
                      } else {
                        undecided(failure, handler);
                      }
                    }));
  }

  private void undecided(Throwable failure, VerdictHandler handler) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    observer.undecided(cause == null ? failure : cause);
    handler.undecided();
  }

  private Verdict observed(Request request, Verdict verdict, long startNanos) {
    observer.decided(verdict, System.nanoTime() - startNanos);
    if (verdict.allowed()) {
      List<Outcome> shadowDenials = verdict.shadowDenials();
      for (int i = 0; i < shadowDenials.size(); i++) {
        observer.shadowDenied(request, shadowDenials.get(i));
      }
    } else {
      verdict.decisive().ifPresent(decisive -> observer.denied(request, decisive));
    }
    return verdict;
  }

  /** Completes with the verdict after the delay that the rules require. */
  public static CompletionStage<Verdict> afterDelay(Verdict verdict) {
    long delayMillis = delayMillis(verdict);
    return delayMillis == 0
        ? CompletableFuture.completedFuture(verdict)
        : CompletableFuture.supplyAsync(
            () -> verdict,
            CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS, Runnable::run));
  }

  /** Returns the delay of a request in milliseconds, rounded up. */
  public static long delayMillis(Verdict verdict) {
    return verdict.delay().isZero() ? 0 : verdict.delay().toMillis() + 1;
  }

  /**
   * Combines the verdicts of two phases. If the later phase denies the request, the charges of the
   * earlier one are refunded.
   *
   * @param earlier null if the later phase is the first one
   */
  public Verdict combine(@Nullable Verdict earlier, Verdict later) {
    if (earlier == null) {
      return later;
    }
    Verdict all = earlier.and(later);
    if (!all.allowed()) {
      refund(earlier);
    }
    return all;
  }

  /**
   * Denies a request that is allowed after a delay but can't be held back. Its charges are
   * refunded, and the observer is notified of the denial.
   *
   * @return the denial, for which nothing is to be refunded
   */
  public Verdict denyDelayed(Request request, Verdict verdict) {
    refund(verdict);
    Verdict denial = engine.denyDelayed(verdict);
    denial.decisive().ifPresent(decisive -> observer.denied(request, decisive));
    return denial;
  }

  /** Refunds everything that was charged for a request that is not carried out. */
  public void refund(Verdict verdict) {
    refund(verdict, rule -> true);
  }

  /**
   * Refunds what some rules charged for a request that is not carried out. The refund runs
   * asynchronously; the observer is notified of failures.
   */
  public void refund(Verdict verdict, Predicate<Rule> which) {
    try {
      var unused =
          engine
              .refund(verdict, which)
              .whenComplete(
                  (done, failure) -> {
                    if (failure != null) {
                      observer.refundFailed(failure);
                    }
                  });
    } catch (RuntimeException failure) {
      observer.refundFailed(failure);
    }
  }
}
