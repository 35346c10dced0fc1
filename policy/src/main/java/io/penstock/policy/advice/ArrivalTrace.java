package io.penstock.policy.advice;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The times and keys of all requests, in a temporary file that can be read many times. An arrival
 * takes about six bytes. Not thread-safe while it is written; then any thread may read it.
 */
final class ArrivalTrace implements AutoCloseable {
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final OutputStream out;
  private long lastNanos;
  private long size;

  ArrivalTrace() {
    try {
      this.file = Files.createTempFile("penstock-advise", ".trace");
      this.out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Receives arrivals in order. */
  @FunctionalInterface
  interface ArrivalVisitor {
    void arrived(int key, long timeNanos);
  }

  /** Adds an arrival. A time before the previous one counts as that one. */
  void add(int key, long timeNanos) {
    long time = Math.max(timeNanos, lastNanos);
    try {
      write(time - lastNanos);
      write(key);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    lastNanos = time;
    size++;
  }

  long size() {
    return size;
  }

  /** Completes writing. */
  void finish() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes seven bits a byte, the lowest ones first; all but the last byte are negative. */
  private void write(long value) throws IOException {
    long rest = value;
    for (; rest > 0x7f; rest >>>= 7) {
      out.write((int) (rest & 0x7f) | 0x80);
    }
    out.write((int) rest);
  }

  void forEach(ArrivalVisitor visitor) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER)) {
      TraceReader reader = new TraceReader(in);
      long time = 0;
      for (long i = 0; i < size; i++) {
        time += reader.next();
        visitor.arrived((int) reader.next(), time);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class TraceReader {
    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER];
    private int at;
    private int limit;

    TraceReader(InputStream in) {
      this.in = in;
    }

    long next() throws IOException {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        if (at == limit) {
          limit = in.read(buffer);
          at = 0;
        }
        byte part = buffer[at++];
        value |= (long) (part & 0x7f) << shift;
        if (part >= 0) {
          return value;
        }
      }
    }
  }

  @Override
  public void close() {
    try {
      out.close();
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
