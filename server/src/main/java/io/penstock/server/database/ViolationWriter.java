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
 * Writes violations in batches, in a thread of its own, about once a second. Thread-safe.
 *
 * <p>While the database is away a batch is tried again and again, and others wait in the tally,
 * which is bounded. A batch is written once, even if nobody knows whether it was.
 */
final class ViolationWriter implements AutoCloseable {
  private static final int MAX_BATCH = 1_000;

  /** In a flood of keys the database is not to take the processors from those who decide. */
  private static final int MAX_BATCHES_PER_ROUND = 2;

  /** As many while rows are dropped: then those that are written are a sample anyway. */
  private static final int MAX_WHILE_DROPPING = 1;

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_CHANCE_MILLIS = 2_000;

  /** Of what the server says, the classes that mean the data rather than the moment. */
  private static final List<String> WRONG_DATA = List.of("22", "23");

  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(ViolationWriter.class));

  private final Database database;
  private final DenialTally tally;
  private final Retention retention;
  private final UUID id = UUID.randomUUID();
  private final Deque<Violation> waiting = new ArrayDeque<>();
  private final AtomicLong written = new AtomicLong();
  private final Thread thread = new Thread(this::run, "penstock-violations");
  private volatile boolean closed;
  private long batch;

  ViolationWriter(
      Database database, DenialTally tally, Retention retention, MeterRegistry registry) {
    this.database = database;
    this.tally = tally;
    this.retention = retention;
    outcomes(registry, "seen", tally, DenialTally::seen);
    outcomes(registry, "written", written, AtomicLong::get);
    outcomes(registry, "dropped", tally, DenialTally::dropped);
    Gauge.builder("penstock.violations.waiting", tally, DenialTally::size)
        .description("Rows of violations that have not been written yet")
        .register(registry);
    thread.setDaemon(true);
  }

  private static <T> void outcomes(
      MeterRegistry registry, String outcome, T counted, ToDoubleFunction<T> count) {
    FunctionCounter.builder("penstock.violations", counted, count)
        .description("Denied requests, and what became of their rows")
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
      int most = dropped > droppedBefore ? MAX_WHILE_DROPPING : MAX_BATCHES_PER_ROUND;
      droppedBefore = dropped;
      if (!closed && write(most)) {
        retention.keep(database);
      }
    }
    if (write(Integer.MAX_VALUE)) {
      write(Integer.MAX_VALUE);
    }
    giveUp();
  }

  /** Writes what there is, up to some batches of it; false if it can't now. */
  private boolean write(int mostBatches) {
    if (waiting.isEmpty()) {
      List<Violation> drained = tally.drain();
      drained.sort(Comparator.comparing(Violation::requestedAt));
      waiting.addAll(drained);
      batch++;
    }
    for (int i = 0; i < mostBatches && !waiting.isEmpty(); i++) {
      List<Violation> next = waiting.stream().limit(MAX_BATCH).toList();
      if (!write(next)) {
        return false;
      }
      next.forEach(done -> waiting.removeFirst());
      tally.settled(next.size());
      batch++;
    }
    return true;
  }

  /** Whether a batch is dealt with: written, or such that it never can be. */
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
      WARNING.warn("violations can't be written now: " + e.getMessage());
      if (isWrong(e)) {
        tally.drop(denied);
        return true;
      }
      return false;
    }
  }

  private static boolean isWrong(DatabaseUnavailableException e) {
    String state = e.getCause() instanceof SQLException sql ? sql.getSQLState() : null;
    return state != null && WRONG_DATA.contains(state.substring(0, 2));
  }

  private void giveUp() {
    waiting.addAll(tally.drain());
    long denied = waiting.stream().mapToLong(Violation::denied).sum();
    if (denied > 0) {
      tally.drop(denied);
      LoggerFactory.getLogger(ViolationWriter.class)
          .warn("{} denied requests are not in the table of violations", denied);
    }
    waiting.clear();
  }

  /** Writes what there is if it can be done soon, and ends. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join(LAST_CHANCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
