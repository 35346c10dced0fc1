package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Reads heads and bodies from one end of a connection. */
final class PoolReader {
  private final InputStream in;
  private final byte[] buffer = new byte[1 << 14];
  private int at;
  private int end;

  PoolReader(InputStream in) {
    this.in = in;
  }

  /** Waits for another byte; returns false at the end. */
  boolean hasMore() throws IOException {
    if (at < end) {
      return true;
    }
    at = 0;
    end = Math.max(0, in.read(buffer));
    return end > 0;
  }

  private int next() throws IOException {
    if (!hasMore()) {
      throw new EOFException();
    }
    return buffer[at++];
  }

  /** Reads a line without its terminator. */
  String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = next(); c != '\n'; c = next()) {
      if (c != '\r') {
        line.append((char) (c & 0xff));
      }
    }
    return line.toString();
  }

  /** Reads lines up to an empty one, each with its terminator. */
  String head() throws IOException {
    StringBuilder head = new StringBuilder();
    for (String line = line(); !line.isEmpty(); line = line()) {
      head.append(line).append('\n');
    }
    return head.toString();
  }

  /** Reads up to {@code length} bytes into a body. */
  void read(int length, StringBuilder body) throws IOException {
    for (int left = length; left > 0; ) {
      if (!hasMore()) {
        throw new EOFException();
      }
      int part = Math.min(left, end - at);
      body.append(new String(buffer, at, part, ISO_8859_1));
      at += part;
      left -= part;
    }
  }

  /** Reads chunks, and returns the trailer. */
  String readChunks(StringBuilder body) throws IOException {
    while (true) {
      int size = Integer.parseInt(line(), 16);
      if (size == 0) {
        return head();
      }
      read(size, body);
      if (!line().isEmpty()) {
        throw new IOException("no end of a chunk");
      }
    }
  }

  /** Returns the value of a header; empty if there is none. */
  static String header(String head, String name) {
    int from = 0;
    while (from < head.length()) {
      int to = head.indexOf('\n', from);
      if (head.regionMatches(true, from, name + ":", 0, name.length() + 1)) {
        return head.substring(from + name.length() + 1, to).strip();
      }
      from = to + 1;
    }
    return "";
  }
}
