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
  private long firstTime;
  private long maxTime = Long.MIN_VALUE;
  private long releasedTime = Long.MIN_VALUE;
  private long count;
  private long late;

  ReorderWindow(long windowNanos) {
    this.windowNanos = windowNanos;
  }

  /** Adds an entry, or drops it if it is earlier than one that was returned already. */
  void add(LogEntry entry) {
    firstTime = count == 0 ? entry.timeNanos() : firstTime;
    maxTime = Math.max(maxTime, entry.timeNanos());
    if (entry.timeNanos() < releasedTime) {
      late++;
    } else {
      held.add(new HeldEntry(entry, count++));
    }
  }

  /** Returns the next entry if no earlier one can follow, or if the log has ended. */
  @Nullable LogEntry poll(boolean atEnd) {
    HeldEntry first = held.peek();
    if (first == null || (!atEnd && held.size() <= MAX_HELD && mustWait(first))) {
      return null;
    }
    held.remove();
    releasedTime = first.entry.timeNanos();
    return first.entry;
  }

  /** A log whose times have not risen yet may be sorted in descending order. */
  private boolean mustWait(HeldEntry first) {
    return first.entry.timeNanos() > maxTime - windowNanos || maxTime - windowNanos <= firstTime;
  }

  /** Returns how many entries were dropped. */
  long late() {
    return late;
  }
}
