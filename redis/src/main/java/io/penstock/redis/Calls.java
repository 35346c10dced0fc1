package io.penstock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts requests together into calls. Thread-safe.
 *
 * <p>One call is under way at a time; who comes meanwhile waits for the next, and goes with all
 * others who do. So an idle store adds no delay, and a busy one makes larger calls, not more.
 */
final class Calls {
  private static final int MOST_REQUESTS = 256;

  /** So that no call holds Redis up for long, however many limits its requests have. */
  private static final int MOST_CLAIMS = 1024;

  /**
   * Where so many asked for each key, they are answered before the next call is sent: the first of
   * them ask again meanwhile, and go with it at no cost to Redis. Fewer, or those who ask for keys
   * of their own, gain more from a call that is under way earlier.
   */
  private static final int CROWD = 8;

  private static final long IDLE = 0;

  private final Link link;
  private final Callbacks callbacks;
  private final Consumer<Batch> sending;
  private final Queue<Ask> waiting = new ConcurrentLinkedQueue<>();

  /** When the turn of whoever makes the call under way began; idle if there is none. */
  private final AtomicLong turn = new AtomicLong(IDLE);

  private volatile int requestsUnderWay;

  /** What becomes of calls. */
  interface Callbacks {
    /**
     * A call that was sent at {@code sentNanos} was answered. The next may be sent before this has
     * been dealt with.
     */
    void answered(Batch batch, long[] replies, long sentNanos);

    /** A call failed; those of its requests that have no answer are still to be answered. */
    void failed(Batch batch, Throwable cause, long sentNanos);
  }

  /**
   * @param sending is shown every call before it is sent
   */
  Calls(Link link, Callbacks callbacks, Consumer<Batch> sending) {
    this.link = link;
    this.callbacks = callbacks;
    this.sending = sending;
  }

  void submit(Ask ask) {
    submit(ask, List.of());
  }

  /** Sends what goes with a request in the same call, unless that is full. */
  void submit(Ask ask, List<? extends Ask> more) {
    waiting.add(ask);
    waiting.addAll(more);
    send();
  }

  /** When the call under way was sent; now if there is none. */
  long underWaySinceNanos() {
    long since = turn.get();
    return since == IDLE ? System.nanoTime() : since;
  }

  /** How many requests the call has that was sent last. */
  int requestsUnderWay() {
    return requestsUnderWay;
  }

  private void send() {
    // Whoever ends a call looks again, so that nothing that came meanwhile is left waiting.
    while (!waiting.isEmpty()) {
      long now = System.nanoTime() | 1;
      if (!turn.compareAndSet(IDLE, now)) {
        return;
      }
      List<Ask> asks = next();
      if (asks.isEmpty()) {
        turn.set(IDLE);
      } else {
        send(new Batch(asks), now);
        return;
      }
    }
  }

  /** The next to go, in their order. Only who has the turn takes from those that wait. */
  private List<Ask> next() {
    List<Ask> asks = new ArrayList<>();
    int claims = 0;
    Ask ask;
    while (asks.size() < MOST_REQUESTS && (ask = waiting.peek()) != null) {
      claims += ask.parts().size();
      if (claims > MOST_CLAIMS && !asks.isEmpty()) {
        break;
      }
      waiting.remove();
      if (ask.send()) {
        asks.add(ask);
      }
    }
    return asks;
  }

  private void send(Batch batch, long sent) {
    requestsUnderWay = batch.size();
    CompletionStage<long[]> call;
    try {
      sending.accept(batch);
      call = link.call(batch);
    } catch (RuntimeException failure) {
      call = CompletableFuture.failedStage(failure);
    }
    call.whenComplete((replies, failure) -> ended(batch, replies, failure, sent));
  }

  private void ended(
      Batch batch, long @Nullable [] replies, @Nullable Throwable failure, long sent) {
    if (replies == null) {
      // Known to have failed before the next is tried, which would fail as well.
      callbacks.failed(batch, cause(failure), sent);
      turn.set(IDLE);
      send();
      return;
    }
    if (batch.size() < CROWD * batch.keyCount()) {
      turn.set(IDLE);
      send();
      answer(batch, replies, sent);
    } else {
      answer(batch, replies, sent);
      turn.set(IDLE);
      send();
    }
  }

  private void answer(Batch batch, long[] replies, long sent) {
    try {
      callbacks.answered(batch, replies, sent);
    } catch (RuntimeException unreadable) {
      callbacks.failed(batch, unreadable, sent);
    }
  }

  private static Throwable cause(@Nullable Throwable failure) {
    if (failure instanceof CompletionException wrapped && wrapped.getCause() != null) {
      return wrapped.getCause();
    }
    return failure == null ? new IllegalStateException("no reply") : failure;
  }
}
