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

/** Asks the engine on behalf of the doors inside an application. Thread-safe. */
public final class Gate {
  private final PolicyEngine engine;
  private final HttpRequests requests;
  private final VerdictResponses answers;
  private final boolean local;
  private final LongConsumer nanosTaken;

  public Gate(PolicyEngine engine, Store store, VerdictResponses answers) {
    this(engine, store, answers, nanos -> {});
  }

  /**
   * @param store what the engine asks
   * @param nanosTaken is told how long each decision took, the store included
   */
  public Gate(PolicyEngine engine, Store store, VerdictResponses answers, LongConsumer nanosTaken) {
    this.engine = engine;
    this.requests = new HttpRequests(engine);
    this.answers = answers;
    this.local = store instanceof InProcessStore;
    this.nanosTaken = nanosTaken;
  }

  public VerdictResponses answers() {
    return answers;
  }

  /** Whether decisions are made at once, without waiting for anything. */
  public boolean isLocal() {
    return local;
  }

  /** Whether any rule may apply in a phase. */
  public boolean asks(Phase phase) {
    return engine.has(phase);
  }

  /**
   * A request as rules see it.
   *
   * @param peer whoever connects; null if that has no address
   */
  public Request request(
      @Nullable IpAddress peer, RequestLine line, Headers headers, CallerAttributes known) {
    return peer == null
        ? new HttpRequest(null, line, headers, engine.jwt(), known)
        : requests.from(peer, line, headers, known);
  }

  /** Decides in this thread, which waits for the store if need be. */
  public Verdict decide(Request request, Phase phase) {
    long begin = System.nanoTime();
    Verdict verdict = engine.decide(request, phase);
    nanosTaken.accept(System.nanoTime() - begin);
    return verdict;
  }

  /** Decides without waiting. */
  public CompletionStage<Verdict> decideAsync(Request request, Phase phase) {
    return timed(engine.decideAsync(request, phase));
  }

  /** Decides by one rule that is asked for by name, waiting for the store if need be. */
  public Verdict decide(String manualRule, Request request) {
    long begin = System.nanoTime();
    Verdict verdict = engine.decide(manualRule, request);
    nanosTaken.accept(System.nanoTime() - begin);
    return verdict;
  }

  /** Decides by one rule that is asked for by name, without waiting. */
  public CompletionStage<Verdict> decideAsync(String manualRule, Request request) {
    return timed(engine.decideAsync(manualRule, request));
  }

  /** Puts back what an earlier phase took, because a later one denies the request. */
  public void giveBack(Verdict earlier) {
    var unused = engine.giveBack(earlier, rule -> true);
  }

  private CompletionStage<Verdict> timed(CompletionStage<Verdict> asked) {
    long begin = System.nanoTime();
    return asked.thenApply(
        verdict -> {
          nanosTaken.accept(System.nanoTime() - begin);
          return verdict;
        });
  }

  /** The same verdict, once the request has been held back for as long as rules want. */
  public static CompletionStage<Verdict> afterDelay(Verdict verdict) {
    long delayMillis = delayMillis(verdict);
    return delayMillis == 0
        ? CompletableFuture.completedFuture(verdict)
        : CompletableFuture.supplyAsync(
            () -> verdict,
            CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS, Runnable::run));
  }

  /** How long a request has to be held back, rounded up. */
  public static long delayMillis(Verdict verdict) {
    return verdict.delay().isZero() ? 0 : verdict.delay().toMillis() + 1;
  }
}
