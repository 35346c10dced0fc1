package io.penstock.policy.accesslog;

import java.io.IOException;
import java.io.InputStream;

/**
 * Splits a stream into lines, as ranges of a reused buffer. Not thread-safe. A line that is longer
 * than the buffer is skipped up to its end, so memory is bounded for any input.
 */
final class LineReader {
  static final int MAX_LINE = 256 * 1024;

  private final InputStream in;
  private final byte[] buffer = new byte[2 * MAX_LINE];
  private int start;
  private int limit;
  private int from;
  private int to;
  private boolean tooLong;
  private boolean atEnd;
  private long bytes;

  LineReader(InputStream in) {
    this.in = in;
  }

  /**
   * Moves to the next line.
   *
   * @return false at the end of the stream
   */
  boolean next() throws IOException {
    tooLong = false;
    int scan = start;
    while (true) {
      int newline = Bytes.indexOf(buffer, '\n', scan, limit);
      if (newline < limit) {
        return line(newline, newline + 1);
      }
      if (atEnd) {
        return start < limit && line(limit, limit);
      }
      scan = limit;
      if (limit - start >= MAX_LINE) {
        tooLong = true;
        // Keeps the beginning, which is shown to the user.
        limit = start + MAX_LINE / 2;
        scan = limit;
      }
      if (limit == buffer.length || start > MAX_LINE) {
        System.arraycopy(buffer, start, buffer, 0, limit - start);
        scan -= start;
        limit -= start;
        start = 0;
      }
      int count = in.read(buffer, limit, buffer.length - limit);
      atEnd = count < 0;
      limit += Math.max(0, count);
      bytes += Math.max(0, count);
    }
  }

  private boolean line(int end, int next) {
    from = start;
    to = end > from && buffer[end - 1] == '\r' ? end - 1 : end;
    start = next;
    return true;
  }

  /** Returns whether the line is too long; then only its beginning is available. */
  boolean isTooLong() {
    return tooLong || to - from > MAX_LINE;
  }

  /** Returns how many bytes were read so far. */
  long bytes() {
    return bytes;
  }

  byte[] buffer() {
    return buffer;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }
}
