package io.penstock.policy.advice;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The times and keys of all requests, which can be read many times. An arrival takes about six
 * bytes. A long trace is in a temporary file, which is deleted whatever happens. Not thread-safe
 * while it is written; then any thread may read it.
 *
 * <p>All methods throw {@link UncheckedIOException} if the file can't be used.
 */
final class ArrivalTrace implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  private static final int MAX_IN_MEMORY = 1 << 22;

  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
  private final ByteArrayOutputStream memory = new ByteArrayOutputStream(BUFFER);
  private @Nullable FileChannel file;
  private byte[] content = {};
  private long lastNanos;
  private long size;

  /** Receives arrivals in order. */
  @FunctionalInterface
  interface ArrivalVisitor {
    void arrived(int key, long timeNanos);
  }

  /** Adds an arrival. A time before the previous one counts as that one. */
  void add(int key, long timeNanos) {
    long time = Math.max(timeNanos, lastNanos);
    write(time - lastNanos);
    write(key);
    lastNanos = time;
    size++;
  }

  long size() {
    return size;
  }

  /** Completes writing. */
  void finish() {
    flush();
    content = memory.toByteArray();
  }

  /** Writes seven bits a byte, the lowest ones first; all but the last byte are negative. */
  private void write(long value) {
    if (buffer.remaining() < Long.BYTES + 2) {
      flush();
    }
    long rest = value;
    for (; rest > 0x7f; rest >>>= 7) {
      buffer.put((byte) ((rest & 0x7f) | 0x80));
    }
    buffer.put((byte) rest);
  }

  private void flush() {
    buffer.flip();
    try {
      if (file == null && memory.size() + buffer.remaining() <= MAX_IN_MEMORY) {
        memory.write(buffer.array(), 0, buffer.remaining());
      } else {
        writeToFile(buffer);
      }
    } catch (IOException e) {
      throw failure(e);
    }
    buffer.clear();
  }

  private void writeToFile(ByteBuffer bytes) throws IOException {
    FileChannel to = file;
    if (to == null) {
      Path path = Files.createTempFile("penstock-advise", ".trace");
      to =
          FileChannel.open(
              path,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
      file = to;
      writeAll(ByteBuffer.wrap(memory.toByteArray()), to);
      memory.reset();
    }
    writeAll(bytes, to);
  }

  private static void writeAll(ByteBuffer bytes, FileChannel to) throws IOException {
    while (bytes.hasRemaining()) {
      int unused = to.write(bytes);
    }
  }

  private static UncheckedIOException failure(IOException cause) {
    String folder = System.getProperty("java.io.tmpdir");
    return new UncheckedIOException(
        "temporary file in " + folder + ": " + cause.getMessage(), cause);
  }

  void forEach(ArrivalVisitor visitor) {
    try {
      TraceReader reader = new TraceReader(content, file);
      long time = 0;
      for (long i = 0; i < size; i++) {
        time += reader.next();
        visitor.arrived((int) reader.next(), time);
      }
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Reads the content in memory, or that of the file. */
  private static final class TraceReader {
    private final @Nullable FileChannel file;
    private final byte[] buffer;
    private long position;
    private int at;
    private int limit;

    TraceReader(byte[] content, @Nullable FileChannel file) {
      this.file = file;
      this.buffer = file == null ? content : new byte[BUFFER];
      this.limit = file == null ? content.length : 0;
    }

    long next() throws IOException {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        if (at == limit && file != null) {
          limit = file.read(ByteBuffer.wrap(buffer), position);
          position += limit;
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
    FileChannel open = file;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw failure(e);
      }
    }
  }
}
