package io.penstock.server.http;

import io.netty.buffer.ByteBuf;

/**
 * Detects folded header lines: lines that start with a space and continue the previous one. Servers
 * interpret them in different ways, so they are rejected. Netty joins them silently.
 */
final class FoldedLineScan {
  private static final byte LINE_FEED = '\n';

  private enum State {
    /** Before the first line, where empty lines and spaces are skipped. */
    START,
    WITHIN_LINE,
    LINE_BEGIN,
    AFTER_RETURN,
    END
  }

  private State state = State.START;

  /** Starts the scan of another head. */
  void begin() {
    state = State.START;
  }

  /** Returns whether the next bytes contain a folded line; bytes after the head are ignored. */
  boolean finds(ByteBuf bytes, int from, int to) {
    int next = from;
    while (next < to && state != State.END) {
      if (state == State.WITHIN_LINE) {
        int end = bytes.indexOf(next, to, LINE_FEED);
        if (end < 0) {
          return false;
        }
        state = State.LINE_BEGIN;
        next = end + 1;
        continue;
      }
      byte read = bytes.getByte(next++);
      if (state == State.LINE_BEGIN && (read == ' ' || read == '\t')) {
        return true;
      }
      state = after(read);
    }
    return false;
  }

  private State after(byte read) {
    if (state == State.START) {
      return read >= 0 && read <= ' ' ? State.START : State.WITHIN_LINE;
    }
    if (read == LINE_FEED) {
      return State.END;
    }
    return state == State.LINE_BEGIN && read == '\r' ? State.AFTER_RETURN : State.WITHIN_LINE;
  }
}
