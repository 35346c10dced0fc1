package io.penstock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts requests that go one way together into calls. Thread-safe.
 *
 * <p>One call is under way at a time; who comes meanwhile waits for the next, and goes with all
 * others who do. So an idle store adds no delay, and a busy one makes larger calls, not more.
 *
 * <p>What a cluster refuses because its slots are being moved is asked for again: at once and one
 * by one where the keys of a call have come apart, otherwise a little later, until its time is
 * over.
 */
final class CallBatcher {
  private static final int MAX_REQUESTS = 256;

  /** So that no call holds Redis up for long, however many limits its requests have. */
  private static final int MAX_CLAIMS = 1024;

  /**
   * Where so many asked for each key, they are answered before the next call is sent: the first of
   * them ask again meanwhile, and go with it at no cost to Redis. Fewer, or those who ask for keys
   * of their own, gain more from a call that is under way earlier.
   */
  private static final int CROWD = 8;

  private static final long IDLE = 0;

  private static final long PAUSE_NANOS = 2_000_000;

  private final Route route;
  private final Callbacks callbacks;
  private final Consumer<Batch> sending;
  private final ScheduledExecutorService timer;
  private final Queue<PendingRequest> waiting = new ConcurrentLinkedQueue<>();

  /** Those who were refused and are the next to go; each list as a call of its own. */
  private final Queue<List<PendingRequest>> again = new ConcurrentLinkedQueue<>();

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
    void failed(List<PendingRequest> asks, Throwable cause);

    /** Requests can't be asked for at all, whatever the server does. */
    void broken(List<PendingRequest> asks, RuntimeException cause);

    /** The keys of a request have come apart: it can be asked for in one call no longer. */
    void cameApart(PendingRequest ask);
  }

  /**
   * @param sending is shown every call before it is sent
   * @param timer for what is asked for again
   */
  CallBatcher(
      Route route, Callbacks callbacks, Consumer<Batch> sending, ScheduledExecutorService timer) {
    this.route = route;
    this.callbacks = callbacks;
    this.sending = sending;
    this.timer = timer;
  }

  Route route() {
    return route;
  }

  void submit(PendingRequest ask) {
    submit(ask, List.of());
  }

  /** Sends what goes with a request in the same call, unless that is full. */
  void submit(PendingRequest ask, List<? extends PendingRequest> more) {
    waiting.add(ask);
    waiting.addAll(more);
    send();
  }

  /** How many requests the call has that was sent last. */
  int requestsUnderWay() {
    return requestsUnderWay;
  }

  private void send() {
    // Whoever ends a call looks again, so that nothing that came meanwhile is left waiting.
    while (!waiting.isEmpty() || !again.isEmpty()) {
      long now = System.nanoTime() | 1;
      if (!turn.compareAndSet(IDLE, now)) {
        return;
      }
      List<PendingRequest> asks = next();
      if (asks.isEmpty()) {
        turn.set(IDLE);
      } else if (send(asks, now)) {
        return;
      }
    }
  }

  /** The next to go, in their order. Only who has the turn takes from those that wait. */
  private List<PendingRequest> next() {
    List<PendingRequest> asks = new ArrayList<>();
    List<PendingRequest> first = again.poll();
    if (first != null) {
      first.stream().filter(PendingRequest::send).forEach(asks::add);
      return asks;
    }
    int claims = 0;
    PendingRequest ask;
    while (asks.size() < MAX_REQUESTS && (ask = waiting.peek()) != null) {
      claims += ask.parts().size();
      if (claims > MAX_CLAIMS && !asks.isEmpty()) {
        break;
      }
      waiting.remove();
      if (ask.send()) {
        asks.add(ask);
      }
    }
    return asks;
  }

  /**
   * Sends a call; false if there is none because it can't be made, and its requests have failed.
   */
  private boolean send(List<PendingRequest> asks, long sent) {
    Batch batch;
    try {
      batch = new Batch(asks);
    } catch (RuntimeException failure) {
      turn.set(IDLE);
      callbacks.broken(asks, failure);
      return false;
    }
    send(batch, sent);
    return true;
  }

  private void send(Batch batch, long sent) {
    requestsUnderWay = batch.size();
    CompletionStage<long[]> call;
    try {
      sending.accept(batch);
      call = route.call(batch);
    } catch (RuntimeException failure) {
      call = CompletableFuture.failedStage(failure);
    }
    call.whenComplete((replies, failure) -> ended(batch, replies, failure, sent));
  }

  private void ended(
      Batch batch, long @Nullable [] replies, @Nullable Throwable failure, long sent) {
    if (replies == null) {
      // Known to have failed before the next is tried, which would fail as well.
      try {
        refused(
            batch,
            failure == null ? new IllegalStateException("no reply") : FailureCauses.cause(failure));
      } catch (RuntimeException broken) {
        callbacks.broken(batch.asks(), broken);
      }
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
      callbacks.failed(batch.asks(), unreadable);
    }
  }

  private void refused(Batch batch, Throwable cause) {
    if (!route.mayPassLater(cause)) {
      callbacks.failed(batch.asks(), route.explained(cause));
      return;
    }
    batch.asks().forEach(PendingRequest::refused);
    boolean apart = Redirection.isSplit(cause);
    if (!apart) {
      later(batch.asks(), cause);
    } else if (batch.requests().size() > 1) {
      again.addAll(batch.requests());
    } else if (batch.keyCount() > 1) {
      batch.asks().forEach(callbacks::cameApart);
    } else {
      later(batch.asks(), cause);
    }
  }

  private void again(List<PendingRequest> asks) {
    again.add(asks);
    send();
  }

  private void later(List<PendingRequest> asks, Throwable cause) {
    long now = System.nanoTime();
    List<PendingRequest> over =
        asks.stream().filter(ask -> ask.deadlineNanos() - now <= 0).toList();
    List<PendingRequest> left = asks.stream().filter(ask -> ask.deadlineNanos() - now > 0).toList();
    if (!over.isEmpty()) {
      callbacks.failed(over, cause);
    }
    if (!left.isEmpty()) {
      var unused = timer.schedule(() -> again(left), PAUSE_NANOS, TimeUnit.NANOSECONDS);
    }
  }
}
