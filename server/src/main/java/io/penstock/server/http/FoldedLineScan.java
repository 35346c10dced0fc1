package io.penstock.server.http;

import io.netty.buffer.ByteBuf;

/**
 * Detects folded lines in the headers and trailers of a request: lines that start with a space and
 * continue the previous one. Servers interpret them in different ways, so they are rejected. Netty
 * joins or drops them silently.
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

  /** Returns whether one of several whole lines is folded. */
  static boolean isAnyFolded(ByteBuf bytes, int from, int to) {
    int line = from;
    while (line < to) {
      byte first = bytes.getByte(line);
      if (first == ' ' || first == '\t') {
        return true;
      }
      int end = bytes.indexOf(line, to, LINE_FEED);
      line = end < 0 ? to : end + 1;
    }
    return false;
  }

  /** Starts the scan of another head. */
  void begin() {
    state = State.START;
  }

  /** Returns whether a part of a head has been scanned. */
  boolean isWithinHead() {
    return state != State.START && state != State.END;
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
