package io.penstock.policy.accesslog;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What was read from logs. Other threads may call {@link #lines} and {@link #bytes} at any time, to
 * show progress, and the other methods once reading is complete.
 */
public final class ReadSummary {
  private final AtomicLong bytesRead = new AtomicLong();
  private final UnreadableLines unreadable = new UnreadableLines();
  private final Set<LogFormat> formats = EnumSet.noneOf(LogFormat.class);
  private volatile long lines;
  private long headers;
  private long late;
  private boolean isWindowShortened;

  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes it.
  void addLine() {
    lines++;
  }

  void addHeader() {
    headers++;
  }

  void addLate(long more, boolean shortened) {
    late += more;
    isWindowShortened |= shortened && more > 0;
  }

  void addFormat(LogFormat format) {
    formats.add(format);
  }

  AtomicLong bytesRead() {
    return bytesRead;
  }

  /** Returns the number of lines so far. */
  public long lines() {
    return lines;
  }

  /** Returns the bytes that were read so far, compressed if the logs are. */
  public long bytes() {
    return bytesRead.get();
  }

  /** Returns the number of lines without a request: column names, comments and empty lines. */
  public long headers() {
    return headers;
  }

  /** Returns the number of lines that were out of order by more than the window. */
  public long late() {
    return late;
  }

  /**
   * Returns whether lines may be out of order by less than the window, because too many were within
   * it.
   */
  public boolean isWindowShortened() {
    return isWindowShortened;
  }

  /** Returns the formats of the logs. */
  public Set<LogFormat> formats() {
    return Set.copyOf(formats);
  }

  public UnreadableLines unreadable() {
    return unreadable;
  }
}
