package io.penstock.policy.jwt;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The keys of an issuer. They are fetched periodically, with retries after a failure, and when a
 * key is missing. The last valid set stays active until it is replaced. Thread-safe; only a refresh
 * blocks.
 */
final class IssuerKeys {
  private static final Duration NEVER = Duration.ofMillis(Long.MAX_VALUE);
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

  /** When failing fetches were last reported. Guarded by this. */
  private long warnedAtMillis;

  /** Guarded by this. */
  private long fetchedAtMillis;

  /** Guarded by this. */
  private long waitMillis;

  /** Guarded by this. */
  private int failures;

  /** Whether a fetch has succeeded. Guarded by this. */
  private boolean hasFetched;

  /**
   * @param source the location of the keys for messages; without secrets
   * @param executor fetches keys when one is missing; should be the thread that calls {@link
   *     #refreshIfDue}
   */
  IssuerKeys(
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

  /** Returns keys that never change. */
  static IssuerKeys fixed(KeySet set) {
    IssuerKeys keys =
        new IssuerKeys(
            "", () -> set, NEVER, InstantSource.system(), command -> {}, JwtObserver.NONE);
    keys.refresh();
    return keys;
  }

  /** Returns the active key set. */
  KeySet current() {
    return current;
  }

  /** Returns why the last fetch failed; null if it succeeded. */
  @Nullable String lastFailure() {
    return lastFailure;
  }

  /** Returns the time since the set was last known to be current; zero if it is fixed. */
  Duration age() {
    boolean fixed = refreshMillis == NEVER.toMillis();
    return Duration.ofMillis(fixed ? 0 : Math.max(0, clock.millis() - currentAtMillis));
  }

  /** Reports that a token refers to a key that is not in the set, which may be outdated. */
  void miss() {
    long missed = missedAtMillis.get();
    long now = clock.millis();
    if (hasPassed(MISS_MILLIS, missed, now) && missedAtMillis.compareAndSet(missed, now)) {
      executor.execute(this::refresh);
    }
  }

  /** Fetches the keys if they are due. Called frequently, on a thread that may block. */
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
        String event = hasFetched ? "can be fetched again from " : "are fetched from ";
        observer.keysChanged(true, "token keys " + event + source + keyStatus());
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
      reportFailure(
          e instanceof KeyFetchException known ? known.failure() : KeyFailure.INVALID, reason);
    }
    fetchedAtMillis = clock.millis();
  }

  private void reportFailure(KeyFailure failure, String reason) {
    observer.fetchFailed(failure);
    long now = clock.millis();
    if (failures == 1 || hasPassed(REMINDER_MILLIS, warnedAtMillis, now)) {
      warnedAtMillis = now;
      observer.keysChanged(
          false, "cannot fetch token keys from " + source + " (" + reason + ")" + keyStatus());
    }
  }

  private String keyStatus() {
    return current.size() == 0
        ? "; no token can be verified: rules by jwt: claims fall back to on_store_failure"
        : "; keys in effect: " + current.size();
  }

  /**
   * If the clock was set back, everything counts as due, so that refreshes don't stop until the
   * clock catches up.
   */
  private static boolean hasPassed(long millis, long since, long now) {
    return now - since >= millis || now < since;
  }
}
