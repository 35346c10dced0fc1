package io.penstock.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether Redis is there to be asked. Thread-safe. Once it is away, nobody asks until a probe, one
 * at a time, finds that it takes writes again.
 */
final class Health {
  private static final long FIRST_PROBE_MILLIS = 20;
  private static final long LAST_PROBE_MILLIS = 300;
  private static final long PROBE_TIMEOUT_MILLIS = 250;

  private final Link link;
  private final ScheduledExecutorService timer;
  private final RedisObserver observer;
  private final AtomicReference<State> state = new AtomicReference<>(State.AWAY);

  private enum State {
    THERE,
    AWAY,
    CLOSED
  }

  Health(Link link, ScheduledExecutorService timer, RedisObserver observer) {
    this.link = link;
    this.timer = timer;
    this.observer = observer;
  }

  boolean isThere() {
    return state.get() == State.THERE;
  }

  /** Finds out for the first time, and waits for it for {@code most}. */
  void begin(Duration most) {
    CountDownLatch found = new CountDownLatch(1);
    timer.execute(() -> probe(FIRST_PROBE_MILLIS, found::countDown));
    try {
      found.await(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Redis was found not to answer.
   *
   * @param connected whether the connection may still be good
   */
  void lost(boolean connected) {
    if (state.compareAndSet(State.THERE, State.AWAY)) {
      observer.available(false);
      if (!connected) {
        link.drop();
      }
      probeAfter(FIRST_PROBE_MILLIS);
    }
  }

  void close() {
    state.set(State.CLOSED);
  }

  private void probeAfter(long millis) {
    if (state.get() == State.AWAY && !timer.isShutdown()) {
      long jittered = millis / 2 + ThreadLocalRandom.current().nextLong(millis + 1);
      var unused = timer.schedule(() -> probe(millis, () -> {}), jittered, TimeUnit.MILLISECONDS);
    }
  }

  private void probe(long after, Runnable then) {
    var unused =
        link.probe()
            .toCompletableFuture()
            .orTimeout(PROBE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
            .whenComplete(
                (done, failure) -> {
                  probed(after, failure == null);
                  then.run();
                });
  }

  private void probed(long after, boolean there) {
    if (!there) {
      link.drop();
      probeAfter(Math.min(2 * after, LAST_PROBE_MILLIS));
    } else if (state.compareAndSet(State.AWAY, State.THERE)) {
      observer.available(true);
    }
  }
}
