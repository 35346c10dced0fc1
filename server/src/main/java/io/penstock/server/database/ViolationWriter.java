package io.penstock.server.database;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.server.log.RepeatedWarning;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import org.slf4j.LoggerFactory;

/**
 * Writes violations in batches, on a dedicated thread, about once a second. Thread-safe.
 *
 * <p>While the database is unavailable, a batch is retried, and further violations wait in the
 * tally, which is bounded. A batch is never written twice, even if the result of an attempt is
 * unknown.
 */
final class ViolationWriter implements AutoCloseable {
  private static final int MAX_BATCH = 1_000;

  /** Limits the load of the database, so that a flood of keys doesn't slow down decisions. */
  private static final int MAX_BATCHES_PER_ROUND = 2;

  /** The limit while rows are dropped: then the written rows are only a sample anyway. */
  private static final int MAX_BATCHES_WHILE_DROPPING = 1;

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_TIMEOUT_MILLIS = 2_000;

  /** The SQLSTATE classes of invalid data, where a retry is useless. */
  private static final List<String> INVALID_DATA = List.of("22", "23");

  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(ViolationWriter.class));

  private final Database database;
  private final DenialTally tally;
  private final Retention retention;
  private final UUID id = UUID.randomUUID();
  private final Deque<Violation> queue = new ArrayDeque<>();
  private final AtomicLong written = new AtomicLong();
  private final Thread thread = new Thread(this::run, "penstock-violations");
  private volatile boolean closed;
  private long batch;

  ViolationWriter(
      Database database, DenialTally tally, Retention retention, MeterRegistry registry) {
    this.database = database;
    this.tally = tally;
    this.retention = retention;
    registerCounter(registry, "seen", tally, DenialTally::seen);
    registerCounter(registry, "written", written, AtomicLong::get);
    registerCounter(registry, "dropped", tally, DenialTally::dropped);
    Gauge.builder("penstock.violations.waiting", tally, DenialTally::size)
        .description("Violation rows that have not been written yet")
        .register(registry);
    thread.setDaemon(true);
  }

  private static <T> void registerCounter(
      MeterRegistry registry, String outcome, T counted, ToDoubleFunction<T> count) {
    FunctionCounter.builder("penstock.violations", counted, count)
        .description("Denied requests by the outcome of recording them")
        .tag("outcome", outcome)
        .register(registry);
  }

  void start() {
    thread.start();
  }

  private void run() {
    long droppedBefore = 0;
    while (!closed) {
      LockSupport.parkNanos(this, INTERVAL_NANOS);
      long dropped = tally.dropped();
      int maxBatches = dropped > droppedBefore ? MAX_BATCHES_WHILE_DROPPING : MAX_BATCHES_PER_ROUND;
      droppedBefore = dropped;
      try {
        if (!closed && write(maxBatches)) {
          retention.runIfDue(database);
        }
      } catch (RuntimeException e) {
        WARNING.warn("cannot delete old violations (" + RepeatedWarning.originOf(e) + ")");
      }
    }
    if (write(Integer.MAX_VALUE)) {
      write(Integer.MAX_VALUE);
    }
    dropRemaining();
  }

  /**
   * Writes queued rows, up to a number of batches; returns false if the database is unavailable.
   */
  private boolean write(int maxBatches) {
    if (queue.isEmpty()) {
      List<Violation> drained = tally.drain();
      drained.sort(Comparator.comparing(Violation::requestedAt));
      queue.addAll(drained);
      batch++;
    }
    for (int i = 0; i < maxBatches && !queue.isEmpty(); i++) {
      List<Violation> next = queue.stream().limit(MAX_BATCH).toList();
      if (!write(next)) {
        return false;
      }
      next.forEach(done -> queue.removeFirst());
      tally.release(next.size());
      batch++;
    }
    return true;
  }

  /**
   * Writes a batch; returns false if it has to be retried. A batch with invalid data is dropped, as
   * is one that a defect prevents from being written.
   */
  private boolean write(List<Violation> violations) {
    long denied = violations.stream().mapToLong(Violation::denied).sum();
    try {
      database.transaction(
          connection -> {
            ViolationTable.insert(connection, id, batch, violations);
            return true;
          });
      written.addAndGet(denied);
      return true;
    } catch (DatabaseUnavailableException e) {
      WARNING.warn("cannot write violations: " + e.getMessage());
      if (isInvalidData(e)) {
        tally.drop(denied);
        return true;
      }
      return false;
    } catch (RuntimeException e) {
      WARNING.warn(
          "cannot write violations, which are dropped (" + RepeatedWarning.originOf(e) + ")");
      tally.drop(denied);
      return true;
    }
  }

  private static boolean isInvalidData(DatabaseUnavailableException e) {
    String state = e.getCause() instanceof SQLException sql ? sql.getSQLState() : null;
    return state != null && INVALID_DATA.contains(state.substring(0, 2));
  }

  private void dropRemaining() {
    queue.addAll(tally.drain());
    long denied = queue.stream().mapToLong(Violation::denied).sum();
    if (denied > 0) {
      tally.drop(denied);
      LoggerFactory.getLogger(ViolationWriter.class)
          .warn(
              "shutting down without recording {} denied requests in the table of violations",
              denied);
    }
    queue.clear();
  }

  /** Writes queued rows for up to two seconds, and stops the thread. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(CLOSE_TIMEOUT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
