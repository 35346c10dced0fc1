package io.penstock.server.http;

import io.netty.buffer.ByteBuf;

/**
 * Looks for folded lines in the bytes of a head: lines that begin with a space and go on with the
 * one before. Servers read them in different ways, so nobody gets to see them. Netty joins them
 * without telling anybody.
 */
final class FoldedLineScan {
  private static final byte LINE_FEED = '\n';

  private enum At {
    /** Before the first line: empty lines and spaces are skipped here. */
    START,
    WITHIN_LINE,
    LINE_BEGIN,
    AFTER_RETURN,
    END
  }

  private At at = At.START;

  /** Begins another head. */
  void begin() {
    at = At.START;
  }

  /** Whether all of the head was seen. */
  boolean isOver() {
    return at == At.END;
  }

  /** Whether there is a folded line in the next bytes; what is behind the head is not looked at. */
  boolean finds(ByteBuf bytes, int from, int to) {
    int next = from;
    while (next < to && at != At.END) {
      if (at == At.WITHIN_LINE) {
        int end = bytes.indexOf(next, to, LINE_FEED);
        if (end < 0) {
          return false;
        }
        at = At.LINE_BEGIN;
        next = end + 1;
        continue;
      }
      byte read = bytes.getByte(next++);
      if (at == At.LINE_BEGIN && (read == ' ' || read == '\t')) {
        return true;
      }
      at = after(read);
    }
    return false;
  }

  private At after(byte read) {
    if (at == At.START) {
      return read >= 0 && read <= ' ' ? At.START : At.WITHIN_LINE;
    }
    if (read == LINE_FEED) {
      return At.END;
    }
    return at == At.LINE_BEGIN && read == '\r' ? At.AFTER_RETURN : At.WITHIN_LINE;
  }
}
