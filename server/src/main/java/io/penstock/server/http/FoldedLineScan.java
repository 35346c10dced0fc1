package io.penstock.server.http;

import io.netty.buffer.ByteBuf;

/**
 * Detects folded lines in the headers and trailers of a request: lines that start with a space and
 * continue the previous one. Servers interpret them in different ways, so they are rejected. Netty
 * joins or drops them silently.
 */
final class FoldedLineScan {
  private static final byte LINE_FEED = '\n';
  private static final long LINE_FEEDS = 0x0a0a_0a0a_0a0a_0a0aL;
  private static final long LOWEST_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGHEST_BITS = 0x8080_8080_8080_8080L;

  /** Whether the first line has begun; empty lines and spaces before it are skipped. */
  private boolean withinHead;

  private boolean atLineBegin;

  /** Returns whether one of several whole lines is folded. */
  static boolean isAnyFolded(ByteBuf bytes, int from, int to) {
    return from < to && (isBlank(bytes.getByte(from)) || hasFoldedLine(bytes, from, to));
  }

  /** Starts the scan of another head. */
  void begin() {
    withinHead = false;
    atLineBegin = false;
  }

  /** Returns whether a part of a head has been scanned. */
  boolean isWithinHead() {
    return withinHead;
  }

  /** Returns whether the next bytes of a head contain a folded line. */
  boolean finds(ByteBuf bytes, int from, int to) {
    int start = from;
    while (!withinHead && start < to) {
      byte first = bytes.getByte(start);
      withinHead = first < 0 || first > ' ';
      start += withinHead ? 0 : 1;
    }
    if (start == to) {
      return false;
    }
    boolean folded = atLineBegin && isBlank(bytes.getByte(start));
    atLineBegin = bytes.getByte(to - 1) == LINE_FEED;
    return folded || hasFoldedLine(bytes, start, to);
  }

  /** Returns whether a line feed is followed by a space or tab. */
  private static boolean hasFoldedLine(ByteBuf bytes, int from, int to) {
    int last = to - 1;
    int next = from;
    // Eight bytes at a time: few of them contain a line feed.
    for (; next + Long.BYTES <= last; next += Long.BYTES) {
      long other = bytes.getLongLE(next) ^ LINE_FEEDS;
      long zeros = (other - LOWEST_BITS) & ~other & HIGHEST_BITS;
      for (; zeros != 0; zeros &= zeros - 1) {
        int lineFeed = next + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
        if (isFoldedAfter(bytes, lineFeed)) {
          return true;
        }
      }
    }
    for (; next < last; next++) {
      if (isFoldedAfter(bytes, next)) {
        return true;
      }
    }
    return false;
  }

  /** The byte itself is checked, too: the search of eight bytes may report one too many. */
  private static boolean isFoldedAfter(ByteBuf bytes, int lineFeed) {
    return bytes.getByte(lineFeed) == LINE_FEED && isBlank(bytes.getByte(lineFeed + 1));
  }

  private static boolean isBlank(byte read) {
    return read == ' ' || read == '\t';
  }
}
