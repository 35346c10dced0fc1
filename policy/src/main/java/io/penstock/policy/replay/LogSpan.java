package io.penstock.policy.replay;

import io.penstock.policy.accesslog.LogEntry;
import java.time.Instant;

/** The requests of a log as a whole. Not thread-safe. */
public final class LogSpan {
  private static final long NANOS = 1_000_000_000L;
  private static final int TOO_MANY_REQUESTS = 429;

  private long requests;
  private long limited;
  private long withoutAddress;
  private long multiple;
  private long firstNanos = Long.MAX_VALUE;
  private long lastNanos = Long.MIN_VALUE;
  private boolean wholeSeconds = true;

  /** Counts a request. */
  public void add(LogEntry entry) {
    requests += entry.count();
    limited += entry.status() == TOO_MANY_REQUESTS ? entry.count() : 0;
    multiple += entry.count() > 1 ? 1 : 0;
    withoutAddress += entry.address() == null ? entry.count() : 0;
    firstNanos = Math.min(firstNanos, entry.timeNanos());
    lastNanos = Math.max(lastNanos, entry.timeNanos());
    wholeSeconds &= entry.timeNanos() % NANOS == 0;
  }

  public long requests() {
    return requests;
  }

  /** Returns the number of requests that were answered with 429. */
  public long limited() {
    return limited;
  }

  /** Returns the number of requests whose client address is unknown. */
  public long withoutAddress() {
    return withoutAddress;
  }

  /** Returns the number of lines that stand for more than one request. */
  public long multiple() {
    return multiple;
  }

  /** Returns whether no time has a fraction of a second. */
  public boolean hasWholeSeconds() {
    return wholeSeconds;
  }

  public Instant first() {
    return instant(requests == 0 ? 0 : firstNanos);
  }

  public Instant last() {
    return instant(requests == 0 ? 0 : lastNanos);
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
  }
}
