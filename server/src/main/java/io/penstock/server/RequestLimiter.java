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
 * Asks the engine on behalf of the doors, without ever blocking: at once in process, else when the
 * store answers. Thread-safe; to be called by event loops.
 */
public final class RequestLimiter {
  private static final RepeatedWarning NOT_GIVEN_BACK =
      new RepeatedWarning(LoggerFactory.getLogger(RequestLimiter.class));
  private static final Logger DECISIONS = LoggerFactory.getLogger("penstock.decisions");

  private final PolicyEngine engine;
  private final DecisionLatency times;
  private final boolean local;
  private final boolean logs;
  private final DenialLog denials;

  /**
   * @param logs whether each decision is logged
   * @param denials told of every request that is denied
   */
  public RequestLimiter(
      PolicyEngine engine, Store store, DecisionLatency times, boolean logs, DenialLog denials) {
    this.engine = engine;
    this.times = times;
    this.local = store instanceof InProcessStore;
    this.logs = logs;
    this.denials = denials;
  }

  public PolicyEngine engine() {
    return engine;
  }

  /** Takes what comes of a question, on the event loop that asked. */
  public interface VerdictHandler {
    void decided(Verdict verdict);

    void failed(Throwable failure);
  }

  /** Decides, and charges what may pass. */
  public void decide(Request request, VerdictHandler answer) {
    long begin = System.nanoTime();
    if (local) {
      Verdict verdict;
      try {
        verdict = engine.decide(request);
      } catch (RuntimeException failure) {
        answer.failed(failure);
        return;
      }
      times.took(System.nanoTime() - begin);
      tell(request, verdict);
      answer.decided(verdict);
    } else {
      later(
          engine.decideAsync(request),
          answer,
          verdict -> {
            times.took(System.nanoTime() - begin);
            tell(request, verdict);
          });
    }
  }

  /** Says what would be decided, and charges nothing. */
  public void preview(Request request, VerdictHandler answer) {
    later(engine.preview(request), answer, verdict -> {});
  }

  /**
   * Puts back what a request was charged by some rules, because it came to nothing. Nobody waits
   * for it, and nothing else fails with it.
   */
  public void giveBack(Verdict verdict, Predicate<Rule> which) {
    try {
      var unused =
          engine
              .giveBack(verdict, which)
              .whenComplete(
                  (done, failure) -> {
                    if (failure != null) {
                      NOT_GIVEN_BACK.warn("tokens could not be given back", failure);
                    }
                  });
    } catch (RuntimeException e) {
      NOT_GIVEN_BACK.warn("tokens could not be given back", e);
    }
  }

  private static void later(
      CompletionStage<Verdict> asked, VerdictHandler answer, Consumer<Verdict> before) {
    ContextInternal asker = (ContextInternal) Objects.requireNonNull(Vertx.currentContext());
    var unused =
        asked.whenComplete(
            (verdict, failure) -> {
              Throwable failed = failure == null ? noted(verdict, before) : failure;
              if (Vertx.currentContext() == asker) {
                // What an answer throws must reach the context: the future would keep it.
                asker.emit(back -> pass(verdict, failed, answer));
              } else {
                asker.runOnContext(back -> pass(verdict, failed, answer));
              }
            });
  }

  private static @Nullable Throwable noted(Verdict verdict, Consumer<Verdict> before) {
    try {
      before.accept(verdict);
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  private static void pass(
      @Nullable Verdict verdict, @Nullable Throwable failure, VerdictHandler answer) {
    if (verdict != null && failure == null) {
      answer.decided(verdict);
    } else if (failure instanceof CompletionException wrapped && wrapped.getCause() != null) {
      answer.failed(wrapped.getCause());
    } else {
      answer.failed(new IllegalStateException("no verdict", failure));
    }
  }

  private void tell(Request request, Verdict verdict) {
    if (logs) {
      DECISIONS.info("{}", verdict);
    }
    if (!verdict.allowed()) {
      verdict.decisive().ifPresent(decisive -> denials.denied(request, decisive));
    }
  }
}
