package io.penstock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Puts requests together into calls. Thread-safe.
 *
 * <p>One call is under way at a time; who comes meanwhile waits for the next, and goes with all
 * others who do. So an idle store adds no delay, and a busy one makes larger calls, not more.
 */
final class Calls {
  private static final int MOST_REQUESTS = 256;

  private final Link link;
  private final Callbacks callbacks;
  private final Queue<Ask> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean underWay = new AtomicBoolean();
  private volatile long sentNanos;

  /** What becomes of calls. */
  interface Callbacks {
    /** A call that was sent at {@code sentNanos} was answered. */
    void answered(Batch batch, long[] replies, long sentNanos);

    /** A call failed; its requests are still to be answered. */
    void failed(Batch batch, Throwable cause);
  }

  Calls(Link link, Callbacks callbacks) {
    this.link = link;
    this.callbacks = callbacks;
  }

  void submit(Ask ask) {
    waiting.add(ask);
    send();
  }

  /** How long the call under way has been so; 0 if there is none. */
  long ageNanos() {
    long sent = sentNanos;
    return underWay.get() ? System.nanoTime() - sent : 0;
  }

  private void send() {
    // Whoever ends a call looks again, so that nothing that came meanwhile is left waiting.
    while (!waiting.isEmpty() && underWay.compareAndSet(false, true)) {
      List<Ask> asks = next();
      if (asks.isEmpty()) {
        underWay.set(false);
      } else {
        send(new Batch(asks));
        return;
      }
    }
  }

  private List<Ask> next() {
    List<Ask> asks = new ArrayList<>();
    Ask ask;
    while (asks.size() < MOST_REQUESTS && (ask = waiting.poll()) != null) {
      if (ask.send()) {
        asks.add(ask);
      }
    }
    return asks;
  }

  private void send(Batch batch) {
    long sent = System.nanoTime();
    sentNanos = sent;
    link.call(batch)
        .whenComplete(
            (replies, failure) -> {
              underWay.set(false);
              send();
              if (failure == null) {
                callbacks.answered(batch, replies, sent);
              } else {
                callbacks.failed(batch, failure);
              }
            });
  }
}
