package io.penstock.policy.accesslog;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sorts entries whose order is wrong by at most a window of time, such as those of servers that log
 * a request when it ends. Holds a bounded number of entries and bytes: if more are within the
 * window, the earliest ones are returned early. Not thread-safe.
 */
final class ReorderWindow {
  private static final int MAX_HELD = 100_000;

  private record HeldEntry(LogEntry entry, long number) {}

  private final PriorityQueue<HeldEntry> held =
      new PriorityQueue<>(
          Comparator.<HeldEntry>comparingLong(each -> each.entry.timeNanos())
              .thenComparingLong(HeldEntry::number));
  private final long windowNanos;
  private final HeldBytes bytes;
  private long firstTime;
  private long maxTime = Long.MIN_VALUE;
  private long releasedTime = Long.MIN_VALUE;
  private long count;
  private long late;
  private boolean isShortened;

  /**
   * @param bytes the memory of all windows
   */
  ReorderWindow(long windowNanos, HeldBytes bytes) {
    this.windowNanos = windowNanos;
    this.bytes = bytes;
  }

  /** Adds an entry, or drops it if it is earlier than one that was returned already. */
  void add(LogEntry entry) {
    firstTime = count == 0 ? entry.timeNanos() : firstTime;
    maxTime = Math.max(maxTime, entry.timeNanos());
    if (entry.timeNanos() < releasedTime) {
      late++;
    } else {
      held.add(new HeldEntry(entry, count++));
      bytes.add(entry);
    }
  }

  /** Returns the next entry if no earlier one can follow, or if the log has ended. */
  @Nullable LogEntry poll(boolean atEnd) {
    HeldEntry first = held.peek();
    if (first == null) {
      return null;
    }
    if (!atEnd && mustWait(first)) {
      if (held.size() <= MAX_HELD && !bytes.isExceeded()) {
        return null;
      }
      isShortened = true;
    }
    held.remove();
    bytes.remove(first.entry);
    releasedTime = first.entry.timeNanos();
    return first.entry;
  }

  /** A log whose times have not risen yet may be sorted in descending order. */
  private boolean mustWait(HeldEntry first) {
    return first.entry.timeNanos() > maxTime - windowNanos || maxTime - windowNanos <= firstTime;
  }

  /** Returns whether entries were returned early because too many were within the window. */
  boolean isShortened() {
    return isShortened;
  }

  /** Returns how many entries were dropped. */
  long late() {
    return late;
  }
}
