package io.penstock.policy.accesslog;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sorts entries whose order is wrong by at most a window of time, such as those of servers that log
 * a request when it ends. Holds a bounded number of entries. Not thread-safe.
 */
final class ReorderWindow {
  private static final int MAX_HELD = 100_000;

  private record HeldEntry(LogEntry entry, long number) {}

  private final PriorityQueue<HeldEntry> held =
      new PriorityQueue<>(
          Comparator.<HeldEntry>comparingLong(each -> each.entry.timeNanos())
              .thenComparingLong(HeldEntry::number));
  private final long windowNanos;
  private long maxTime = Long.MIN_VALUE;
  private long releasedTime = Long.MIN_VALUE;
  private long count;
  private long late;

  ReorderWindow(long windowNanos) {
    this.windowNanos = windowNanos;
  }

  void add(LogEntry entry) {
    maxTime = Math.max(maxTime, entry.timeNanos());
    late += entry.timeNanos() < releasedTime ? 1 : 0;
    held.add(new HeldEntry(entry, count++));
  }

  /** Returns the next entry if no earlier one can follow, or if the log has ended. */
  @Nullable LogEntry poll(boolean atEnd) {
    HeldEntry first = held.peek();
    if (first == null
        || (!atEnd && held.size() <= MAX_HELD && first.entry.timeNanos() > maxTime - windowNanos)) {
      return null;
    }
    held.remove();
    releasedTime = Math.max(releasedTime, first.entry.timeNanos());
    return first.entry;
  }

  /** Returns how many entries were earlier than one that was returned before them. */
  long late() {
    return late;
  }
}
