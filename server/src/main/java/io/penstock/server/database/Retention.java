package io.penstock.server.database;

import io.penstock.server.log.RepeatedWarning;
import org.slf4j.LoggerFactory;

/**
 * Deletes old violations in small steps, so that no other statement waits for long. Only one
 * process deletes at a time. Not thread-safe.
 */
final class Retention {
  private static final int ROWS_PER_STEP = 1_000;
  private static final int MAX_STEPS = 10;
  private static final long INTERVAL_NANOS = 10_000_000_000L;
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(Retention.class));

  private final int days;
  private final long rows;
  private long dueNanos = System.nanoTime();

  /**
   * @param days how many days violations are kept; 0 means forever
   * @param rows the max number of rows that are kept, by their ids; 0 means all
   */
  Retention(int days, long rows) {
    this.days = days;
    this.rows = rows;
  }

  /** Runs some steps if the interval has passed. */
  void runIfDue(Database database) {
    if (System.nanoTime() - dueNanos < 0) {
      return;
    }
    boolean more = true;
    try {
      for (int step = 0; step < MAX_STEPS && more; step++) {
        more = step(database) >= ROWS_PER_STEP;
      }
    } catch (DatabaseUnavailableException e) {
      more = false;
      WARNING.warn("cannot delete old violations; retrying later: " + e.getMessage());
    }
    if (!more) {
      dueNanos = System.nanoTime() + INTERVAL_NANOS;
    }
  }

  /** Deletes the next rows; returns their number. */
  int step(Database database) {
    return database.transaction(
        connection -> {
          if (!ViolationTable.tryLock(connection)) {
            return 0;
          }
          int old = days == 0 ? 0 : ViolationTable.deleteOlder(connection, days, ROWS_PER_STEP);
          int more = rows == 0 ? 0 : ViolationTable.deleteBeyond(connection, rows, ROWS_PER_STEP);
          if (old + more == 0) {
            ViolationTable.deleteWriters(connection);
          }
          return Math.max(old, more);
        });
  }
}
