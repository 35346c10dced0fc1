package io.penstock.server.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.LoggerFactory;

/**
 * Writes one line for each finished request. Thread-safe.
 *
 * <p>A dedicated thread writes the lines, so callers never wait: if the reader of the log is too
 * slow, entries are dropped and counted.
 */
public final class AccessLog implements AutoCloseable {
  /** The max number of queued entries. */
  static final int MAX_QUEUED = 8_192;

  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(AccessLog.class));
  private static final int MAX_BATCH = 256;
  private static final long POLL_MILLIS = 200;
  private static final long CLOSE_MILLIS = 1_000;

  private final AccessFormat format;
  private final Destination destination;
  private final BlockingQueue<AccessEntry> queue = new ArrayBlockingQueue<>(MAX_QUEUED);
  private final LongAdder dropped = new LongAdder();
  private final Thread writer = new Thread(this::write, "penstock-access-log");
  private volatile boolean reopen;
  private volatile boolean closing;
  private OutputStream out;

  /** Where lines are written. */
  @FunctionalInterface
  public interface Destination {
    /** Opens the destination for appending. */
    OutputStream open() throws IOException;

    static Destination file(Path file) {
      return () ->
          Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** The standard output of the process, which is never closed. */
    static Destination standardOutput() {
      return () ->
          new FileOutputStream(FileDescriptor.out) {
            @Override
            public void close() {}
          };
    }
  }

  /**
   * @throws IOException if the destination can't be opened
   */
  public AccessLog(AccessFormat format, Destination destination) throws IOException {
    this.format = format;
    this.destination = destination;
    this.out = destination.open();
    writer.setDaemon(true);
    writer.start();
  }

  /** Queues an entry. */
  public void add(AccessEntry entry) {
    if (!queue.offer(entry)) {
      dropped.increment();
    }
  }

  /** Returns the number of dropped entries. */
  public long dropped() {
    return dropped.sum();
  }

  /** Reopens the destination before the next line, for log rotation. */
  public void reopen() {
    reopen = true;
  }

  private void write() {
    StringBuilder lines = new StringBuilder();
    try {
      while (!closing || !queue.isEmpty()) {
        AccessEntry next = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (next != null) {
          write(next, lines);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closeOutput();
    }
  }

  private void write(AccessEntry first, StringBuilder lines) {
    lines.setLength(0);
    int count = 0;
    for (AccessEntry next = first; next != null; next = queue.poll()) {
      format.append(next, lines);
      lines.append('\n');
      if (++count == MAX_BATCH) {
        break;
      }
    }
    try {
      if (reopen) {
        reopen = false;
        closeOutput();
        out = destination.open();
      }
      out.write(lines.toString().getBytes(US_ASCII));
      out.flush();
    } catch (IOException e) {
      dropped.add(count);
      // Reopen the file before the next write, in case it was deleted or moved.
      reopen = true;
      WARNING.warn("cannot write the access log; lines are dropped: " + e.getMessage());
    }
  }

  private void closeOutput() {
    try {
      out.close();
    } catch (IOException e) {
      WARNING.warn("cannot close the access log: " + e.getMessage());
    }
  }

  /** Writes the queued entries for up to a second. */
  @Override
  public void close() {
    closing = true;
    try {
      writer.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
