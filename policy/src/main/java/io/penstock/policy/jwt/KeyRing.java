package io.penstock.policy.jwt;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Holds keys and the thread that refreshes them, if they need one. Thread-safe. */
final class KeyRing implements AutoCloseable {
  private static final Duration FETCH_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration INITIAL_FETCH_WAIT = Duration.ofSeconds(2);

  /** How often to check whether keys are due for a refresh, or whether a file has changed. */
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  private final IssuerKeys keys;
  private final @Nullable ScheduledThreadPoolExecutor thread;

  private KeyRing(IssuerKeys keys, @Nullable ScheduledThreadPoolExecutor thread) {
    this.keys = keys;
    this.thread = thread;
  }

  /**
   * @throws IllegalArgumentException if a file can't be read
   */
  static KeyRing open(@Nullable KeySource source, InstantSource clock, JwtObserver observer) {
    return open(source, clock, INITIAL_FETCH_WAIT, observer);
  }

  /**
   * @param firstWait the max time to wait for keys from a URL
   */
  static KeyRing open(
      @Nullable KeySource source, InstantSource clock, Duration firstWait, JwtObserver observer) {
    if (source instanceof KeySource.Secret secret) {
      return of(IssuerKeys.fixed(KeySet.of(VerificationKey.of(secret))));
    }
    if (source instanceof KeySource.PublicKey key) {
      return of(IssuerKeys.fixed(KeySet.of(key.key())));
    }
    ScheduledThreadPoolExecutor thread = thread();
    if (source instanceof KeySource.JwksFile file) {
      IssuerKeys keys = keys(file, clock, observer);
      keys.refreshIfDue();
      if (keys.lastFailure() != null) {
        throw new IllegalArgumentException(
            "jwks_file must be a JWK set: " + file.file() + ": " + keys.lastFailure());
      }
      return scheduled(keys, thread);
    }
    if (source instanceof KeySource.JwksUrl url) {
      IssuerKeys keys = keys(url, clock, thread, observer);
      await(thread.submit(keys::refreshIfDue), firstWait);
      return scheduled(keys, thread);
    }
    return of(IssuerKeys.fixed(KeySet.EMPTY));
  }

  /** Returns a key ring without a thread, for keys that don't change or are refreshed elsewhere. */
  static KeyRing of(IssuerKeys keys) {
    return new KeyRing(keys, null);
  }

  private static KeyRing scheduled(IssuerKeys keys, ScheduledThreadPoolExecutor thread) {
    long millis = CHECK_INTERVAL.toMillis();
    Future<?> unused =
        thread.scheduleWithFixedDelay(keys::refreshIfDue, millis, millis, TimeUnit.MILLISECONDS);
    return new KeyRing(keys, thread);
  }

  /**
   * A missing key doesn't trigger a read of the file, because it is checked every second anyway.
   */
  static IssuerKeys keys(KeySource.JwksFile source, InstantSource clock, JwtObserver observer) {
    return new IssuerKeys(
        source.file().toString(),
        new FileFetch(source.file()),
        CHECK_INTERVAL,
        clock,
        command -> {},
        observer);
  }

  static IssuerKeys keys(
      KeySource.JwksUrl source, InstantSource clock, Executor executor, JwtObserver observer) {
    HttpFetch fetch = new HttpFetch(source.url(), FETCH_TIMEOUT);
    return new IssuerKeys(source.redacted(), fetch, source.refresh(), clock, executor, observer);
  }

  private static ScheduledThreadPoolExecutor thread() {
    ScheduledThreadPoolExecutor thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread daemon = new Thread(task, "penstock-jwks");
              daemon.setDaemon(true);
              return daemon;
            });
    // Tokens may still be verified during shutdown. Refreshes are then dropped, and the keys stay
    // as they are.
    thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    return thread;
  }

  /** Fetching continues in the background if it takes longer. */
  private static void await(Future<?> first, Duration maxWait) {
    try {
      first.get(maxWait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      // The keys report failures themselves.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  IssuerKeys keys() {
    return keys;
  }

  @Override
  public void close() {
    if (thread != null) {
      thread.shutdownNow();
    }
  }
}
