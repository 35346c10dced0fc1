package io.penstock.policy.jwt;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keys that are brought anew: after a while, sooner after a failure, and when one is missing. The
 * last set that could be read stays in force until there is another. For many threads.
 */
final class RefreshedKeys implements Keys {
  private static final long MISS_MILLIS = 10_000;
  private static final long FIRST_RETRY_MILLIS = 1_000;
  private static final long MOST_RETRY_MILLIS = 60_000;
  private static final int MOST_DOUBLINGS = 6;

  private final KeyFetch fetch;
  private final long refreshMillis;
  private final InstantSource clock;
  private final Executor executor;
  private final AtomicLong missedAtMillis;

  private volatile KeySet current = KeySet.EMPTY;
  private volatile @Nullable String lastFailure = "not fetched yet";

  /** Guarded by this. */
  private long fetchedAtMillis;

  /** Guarded by this. */
  private long waitMillis;

  /** Guarded by this. */
  private int failures;

  /**
   * @param executor where keys are brought from when one is missing; should be the thread that
   *     calls {@link #refreshIfDue}
   */
  RefreshedKeys(KeyFetch fetch, Duration refresh, InstantSource clock, Executor executor) {
    this.fetch = fetch;
    this.refreshMillis = refresh.toMillis();
    this.clock = clock;
    this.executor = executor;
    this.missedAtMillis = new AtomicLong(clock.millis() - MISS_MILLIS);
    this.fetchedAtMillis = clock.millis();
  }

  @Override
  public KeySet current() {
    return current;
  }

  @Override
  public @Nullable String lastFailure() {
    return lastFailure;
  }

  @Override
  public void miss() {
    long missed = missedAtMillis.get();
    long now = clock.millis();
    if (hasPassed(MISS_MILLIS, missed, now) && missedAtMillis.compareAndSet(missed, now)) {
      executor.execute(this::refresh);
    }
  }

  /** Brings the keys if it is time to. Called often, by a thread that may wait. */
  synchronized void refreshIfDue() {
    if (hasPassed(waitMillis, fetchedAtMillis, clock.millis())) {
      refresh();
    }
  }

  private synchronized void refresh() {
    try {
      KeySet fetched = fetch.fetch();
      if (fetched != null) {
        current = fetched;
      }
      failures = 0;
      lastFailure = null;
      waitMillis = refreshMillis;
    } catch (IOException | RuntimeException e) {
      long backoff = FIRST_RETRY_MILLIS << Math.min(failures++, MOST_DOUBLINGS);
      waitMillis = Math.min(Math.min(backoff, MOST_RETRY_MILLIS), refreshMillis);
      lastFailure = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
    fetchedAtMillis = clock.millis();
  }

  /** A clock that was set back makes everything due, rather than nothing for as long. */
  private static boolean hasPassed(long millis, long since, long now) {
    return now - since >= millis || now < since;
  }
}
