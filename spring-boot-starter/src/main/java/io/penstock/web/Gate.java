package io.penstock.web;

import io.penstock.Store;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Phase;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.policy.http.HttpRequest;
import io.penstock.policy.http.HttpRequests;
import io.penstock.policy.http.RequestLine;
import io.penstock.policy.http.VerdictResponses;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The entry point to the engine for filters and interceptors inside an application. Thread-safe.
 */
public final class Gate {
  private final PolicyEngine engine;
  private final HttpRequests requests;
  private final VerdictResponses responses;
  private final boolean local;
  private final LongConsumer nanosTaken;

  public Gate(PolicyEngine engine, Store store, VerdictResponses responses) {
    this(engine, store, responses, nanos -> {});
  }

  /**
   * @param store the store of the engine
   * @param nanosTaken receives the duration of each decision, including the store
   */
  public Gate(
      PolicyEngine engine, Store store, VerdictResponses responses, LongConsumer nanosTaken) {
    this.engine = engine;
    this.requests = new HttpRequests(engine);
    this.responses = responses;
    this.local = store instanceof InProcessStore;
    this.nanosTaken = nanosTaken;
  }

  public VerdictResponses responses() {
    return responses;
  }

  /** Returns whether decisions are immediate because the store is in process. */
  public boolean isLocal() {
    return local;
  }

  /** Returns whether any rule may apply in a phase. */
  public boolean hasRules(Phase phase) {
    return engine.has(phase);
  }

  /**
   * Creates a request in the form that rules evaluate.
   *
   * @param peer the address of the client connection; null if it has none
   */
  public Request request(
      @Nullable IpAddress peer, RequestLine line, Headers headers, CallerAttributes attributes) {
    return peer == null
        ? new HttpRequest(null, line, headers, engine.jwt(), attributes)
        : requests.from(peer, line, headers, attributes);
  }

  /** Decides on the calling thread, which waits for the store if necessary. */
  public Verdict decide(Request request, Phase phase) {
    long startNanos = System.nanoTime();
    Verdict verdict = engine.decide(request, phase);
    nanosTaken.accept(System.nanoTime() - startNanos);
    return verdict;
  }

  /** Decides without blocking. */
  public CompletionStage<Verdict> decideAsync(Request request, Phase phase) {
    return timed(engine.decideAsync(request, phase));
  }

  /** Evaluates one manual rule by name, and waits for the store if necessary. */
  public Verdict decide(String manualRule, Request request) {
    long startNanos = System.nanoTime();
    Verdict verdict = engine.decide(manualRule, request);
    nanosTaken.accept(System.nanoTime() - startNanos);
    return verdict;
  }

  /** Evaluates one manual rule by name without blocking. */
  public CompletionStage<Verdict> decideAsync(String manualRule, Request request) {
    return timed(engine.decideAsync(manualRule, request));
  }

  /** Refunds what an earlier phase took, because a later one denies the request. */
  public void refund(Verdict earlier) {
    var unused = engine.giveBack(earlier, rule -> true);
  }

  private CompletionStage<Verdict> timed(CompletionStage<Verdict> decision) {
    long startNanos = System.nanoTime();
    return decision.thenApply(
        verdict -> {
          nanosTaken.accept(System.nanoTime() - startNanos);
          return verdict;
        });
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
}
