package io.penstock.server;

import io.penstock.Store;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Request;
import io.penstock.policy.Rule;
import io.penstock.policy.Verdict;
import io.penstock.server.log.RepeatedWarning;
import io.penstock.server.metrics.DecisionLatency;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evaluates requests with the engine on behalf of the listeners. It never blocks: with the
 * in-process store it decides immediately, otherwise when the store responds. Thread-safe; must be
 * called on event loops.
 */
public final class RequestLimiter {
  private static final RepeatedWarning REFUND_FAILED =
      new RepeatedWarning(LoggerFactory.getLogger(RequestLimiter.class));
  private static final Logger DECISIONS = LoggerFactory.getLogger("penstock.decisions");

  private final PolicyEngine engine;
  private final DecisionLatency latency;
  private final boolean local;
  private final boolean logsDecisions;
  private final DenialLog denials;

  /**
   * @param logsDecisions whether to log each decision
   * @param denials receives every denied request
   */
  public RequestLimiter(
      PolicyEngine engine,
      Store store,
      DecisionLatency latency,
      boolean logsDecisions,
      DenialLog denials) {
    this.engine = engine;
    this.latency = latency;
    this.local = store instanceof InProcessStore;
    this.logsDecisions = logsDecisions;
    this.denials = denials;
  }

  public PolicyEngine engine() {
    return engine;
  }

  /** Receives the result of an evaluation, on the event loop that requested it. */
  public interface VerdictHandler {
    void decided(Verdict verdict);

    void failed(Throwable failure);
  }

  /** Decides a request and charges it if it is allowed. */
  public void decide(Request request, VerdictHandler handler) {
    long startNanos = System.nanoTime();
    if (local) {
      Verdict verdict;
      try {
        verdict = engine.decide(request);
      } catch (RuntimeException failure) {
        handler.failed(failure);
        return;
      }
      latency.record(System.nanoTime() - startNanos);
      report(request, verdict);
      handler.decided(verdict);
    } else {
      completeLater(
          engine.decideAsync(request),
          handler,
          verdict -> {
            latency.record(System.nanoTime() - startNanos);
            report(request, verdict);
          });
    }
  }

  /** Evaluates a request without charging it. */
  public void preview(Request request, VerdictHandler handler) {
    completeLater(engine.preview(request), handler, verdict -> {});
  }

  /**
   * Refunds what some rules charged for a request that could not be served. The refund runs
   * asynchronously; failures are only logged.
   */
  public void refund(Verdict verdict, Predicate<Rule> which) {
    try {
      var unused =
          engine
              .giveBack(verdict, which)
              .whenComplete(
                  (done, failure) -> {
                    if (failure != null) {
                      REFUND_FAILED.warn("cannot refund tokens; they stay charged", failure);
                    }
                  });
    } catch (RuntimeException e) {
      REFUND_FAILED.warn("cannot refund tokens; they stay charged", e);
    }
  }

  private static void completeLater(
      CompletionStage<Verdict> pending, VerdictHandler handler, Consumer<Verdict> before) {
    ContextInternal context = (ContextInternal) Objects.requireNonNull(Vertx.currentContext());
    var unused =
        pending.whenComplete(
            (verdict, failure) -> {
              Throwable failed = failure == null ? runBefore(verdict, before) : failure;
              if (Vertx.currentContext() == context) {
                // Exceptions of the handler must reach the context; the future would swallow them.
                context.emit(back -> pass(verdict, failed, handler));
              } else {
                context.runOnContext(back -> pass(verdict, failed, handler));
              }
            });
  }

  private static @Nullable Throwable runBefore(Verdict verdict, Consumer<Verdict> before) {
    try {
      before.accept(verdict);
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  private static void pass(
      @Nullable Verdict verdict, @Nullable Throwable failure, VerdictHandler handler) {
    if (verdict != null && failure == null) {
      handler.decided(verdict);
    } else if (failure instanceof CompletionException wrapped && wrapped.getCause() != null) {
      handler.failed(wrapped.getCause());
    } else {
      handler.failed(new IllegalStateException("no verdict", failure));
    }
  }

  private void report(Request request, Verdict verdict) {
    if (logsDecisions) {
      DECISIONS.info("{}", verdict);
    }
    if (!verdict.allowed()) {
      verdict.decisive().ifPresent(decisive -> denials.denied(request, decisive));
    }
  }
}
