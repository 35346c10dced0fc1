package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/** How callers wait for answers with threads of their own. Thread-safe. */
final class CallerWait {
  /** With fewer callers a core is soon idle, and giving way to nobody gains nothing. */
  private static final int CROWD = 2 * Runtime.getRuntime().availableProcessors();

  private final IntSupplier requestsUnderWay;
  private final Consumer<PendingRequest> overdue;
  private final YieldBeforeParking courtesy = new YieldBeforeParking();

  /**
   * @param overdue answers a request whose time is over
   */
  CallerWait(IntSupplier requestsUnderWay, Consumer<PendingRequest> overdue) {
    this.requestsUnderWay = requestsUnderWay;
    this.overdue = overdue;
  }

  /** Waits for an answer: for no longer than until its deadline, so even if interrupted. */
  Decision await(PendingRequest ask, CompletableFuture<Decision> answer) {
    if (!answer.isDone() && requestsUnderWay.getAsInt() >= CROWD) {
      courtesy.giveWay();
    }
    boolean interrupted = false;
    try {
      while (true) {
        try {
          long left = ask.deadlineNanos() - System.nanoTime();
          return answer.get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (InterruptedException later) {
          interrupted = true;
        } catch (TimeoutException timeout) {
          overdue.accept(ask);
          return ended(answer);
        } catch (ExecutionException failed) {
          throw new StoreException("the decision failed", failed.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Decision ended(CompletableFuture<Decision> answer) {
    try {
      return answer.join();
    } catch (CompletionException failed) {
      throw new StoreException("the decision failed", failed.getCause());
    }
  }
}
