package io.penstock.policy.jwt;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keys that are fetched anew: after a while, sooner after a failure, and when one is missing. The
 * last set that could be read stays in effect until there is another. For many threads.
 */
final class RefreshedKeys implements IssuerKeys {
  private static final long MISS_MILLIS = 10_000;
  private static final long FIRST_RETRY_MILLIS = 1_000;
  private static final long MAX_RETRY_MILLIS = 60_000;
  private static final int MAX_DOUBLINGS = 6;
  private static final long REMINDER_MILLIS = 600_000;

  private final KeyFetch fetch;
  private final long refreshMillis;
  private final InstantSource clock;
  private final Executor executor;
  private final AtomicLong missedAtMillis;

  private final String source;
  private final JwtObserver observer;
  private volatile KeySet current = KeySet.EMPTY;
  private volatile @Nullable String lastFailure = "not fetched yet";
  private volatile long currentAtMillis;

  /** When to say again that keys can't be fetched. Guarded by this. */
  private long remindAtMillis;

  /** Guarded by this. */
  private long fetchedAtMillis;

  /** Guarded by this. */
  private long waitMillis;

  /** Guarded by this. */
  private int failures;

  /** Whether a fetch has succeeded. Guarded by this. */
  private boolean hasFetched;

  /**
   * @param source where the keys are, for people; without secrets
   * @param executor where keys are fetched from when one is missing; should be the thread that
   *     calls {@link #refreshIfDue}
   */
  RefreshedKeys(
      String source,
      KeyFetch fetch,
      Duration refresh,
      InstantSource clock,
      Executor executor,
      JwtObserver observer) {
    this.source = source;
    this.observer = observer;
    this.fetch = fetch;
    this.refreshMillis = refresh.toMillis();
    this.clock = clock;
    this.executor = executor;
    this.missedAtMillis = new AtomicLong(clock.millis() - MISS_MILLIS);
    this.fetchedAtMillis = clock.millis();
    this.currentAtMillis = clock.millis();
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
  public long fetchedAtMillis(long nowMillis) {
    return currentAtMillis;
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
      if (failures > 0) {
        String how = hasFetched ? "can be fetched again from " : "are fetched from ";
        observer.keysChanged(true, "the keys of tokens " + how + source + keysLeft());
      }
      hasFetched = true;
      failures = 0;
      lastFailure = null;
      waitMillis = refreshMillis;
      currentAtMillis = clock.millis();
    } catch (IOException | RuntimeException e) {
      String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      lastFailure = reason;
      long backoff = FIRST_RETRY_MILLIS << Math.min(failures++, MAX_DOUBLINGS);
      waitMillis = Math.min(Math.min(backoff, MAX_RETRY_MILLIS), refreshMillis);
      failed(e instanceof KeyFetchException known ? known.why() : KeyFailure.INVALID, reason);
    }
    fetchedAtMillis = clock.millis();
  }

  private void failed(KeyFailure why, String reason) {
    observer.fetchFailed(why);
    long now = clock.millis();
    if (failures == 1 || hasPassed(REMINDER_MILLIS, remindAtMillis, now)) {
      remindAtMillis = now;
      observer.keysChanged(
          false,
          "cannot fetch the keys of tokens from " + source + " (" + reason + ")" + keysLeft());
    }
  }

  private String keysLeft() {
    return current.size() == 0
        ? "; no token can be verified: rules by jwt: claims fall back to on_store_failure"
        : "; keys in effect: " + current.size();
  }

  /** A clock that was set back makes everything due, rather than nothing for as long. */
  private static boolean hasPassed(long millis, long since, long now) {
    return now - since >= millis || now < since;
  }
}
