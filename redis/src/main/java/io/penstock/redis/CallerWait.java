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

/** Blocks callers until their requests are completed. Thread-safe. */
final class CallerWait {
  /** With fewer callers a core is soon idle, so yielding gains nothing. */
  private static final int MIN_CALLERS_TO_YIELD = 2 * Runtime.getRuntime().availableProcessors();

  private final IntSupplier estimatedWaitingCallers;
  private final Consumer<PendingRequest> onTimeout;
  private final YieldBeforeParking yielding = new YieldBeforeParking();

  /**
   * @param onTimeout completes a request whose deadline has passed
   */
  CallerWait(IntSupplier estimatedWaitingCallers, Consumer<PendingRequest> onTimeout) {
    this.estimatedWaitingCallers = estimatedWaitingCallers;
    this.onTimeout = onTimeout;
  }

  /**
   * Blocks until the request is completed or {@linkplain PendingRequest#isOverdue overdue}, even if
   * interrupted.
   */
  Decision await(PendingRequest request, CompletableFuture<Decision> decision) {
    if (!decision.isDone() && estimatedWaitingCallers.getAsInt() >= MIN_CALLERS_TO_YIELD) {
      yielding.yieldIfUseful();
    }
    boolean interrupted = false;
    try {
      while (true) {
        try {
          long left = request.giveUpNanos() - System.nanoTime();
          return decision.get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (InterruptedException later) {
          interrupted = true;
        } catch (TimeoutException timeout) {
          if (request.isOverdue(System.nanoTime())) {
            onTimeout.accept(request);
            return completed(decision);
          }
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

  private static Decision completed(CompletableFuture<Decision> decision) {
    try {
      return decision.join();
    } catch (CompletionException failed) {
      throw new StoreException("the decision failed", failed.getCause());
    }
  }
}
