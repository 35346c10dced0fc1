package io.penstock.server.database;

import io.penstock.server.log.RepeatedWarning;
import org.slf4j.LoggerFactory;

/**
 * Keeps the table of violations from growing for ever: some rows at a time, so that nobody waits
 * for it. Of several processes one does at a time. Not thread-safe.
 */
final class Retention {
  private static final int STEP = 1_000;
  private static final int STEPS_AT_ONCE = 10;
  private static final long INTERVAL_NANOS = 10_000_000_000L;
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(Retention.class));

  private final int days;
  private final long rows;
  private long dueNanos = System.nanoTime();

  /**
   * @param days how long violations are kept; 0 for ever
   * @param rows how many are kept, counted by their numbers; 0 for all
   */
  Retention(int days, long rows) {
    this.days = days;
    this.rows = rows;
  }

  /** Does a little if it is time. */
  void keep(Database database) {
    if (System.nanoTime() - dueNanos < 0) {
      return;
    }
    boolean more = true;
    try {
      for (int step = 0; step < STEPS_AT_ONCE && more; step++) {
        more = step(database) >= STEP;
      }
    } catch (DatabaseUnavailableException e) {
      more = false;
      WARNING.warn("old violations can't be deleted now: " + e.getMessage());
    }
    if (!more) {
      dueNanos = System.nanoTime() + INTERVAL_NANOS;
    }
  }

  /** Deletes the next rows; returns how many. */
  int step(Database database) {
    return database.transaction(
        connection -> {
          if (!ViolationTable.isAlone(connection)) {
            return 0;
          }
          int old = days == 0 ? 0 : ViolationTable.deleteOlder(connection, days, STEP);
          int more = rows == 0 ? 0 : ViolationTable.deleteBeyond(connection, rows, STEP);
          if (old + more == 0) {
            ViolationTable.deleteWriters(connection);
          }
          return Math.max(old, more);
        });
  }
}
