package io.penstock.policy.accesslog;

/** The memory that entries take while they wait to be sorted, of all logs. Not thread-safe. */
final class HeldBytes {
  private static final long MAX = 48L << 20;

  private long held;

  void add(LogEntry entry) {
    held += entry.bytes();
  }

  void remove(LogEntry entry) {
    held -= entry.bytes();
  }

  boolean isExceeded() {
    return held > MAX;
  }
}
