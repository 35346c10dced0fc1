package io.penstock.server.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
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
  private static final long CLOSE_MILLIS = 1_000;

  private final AccessFormat format;
  private final Destination destination;
  private final LongAdder dropped = new LongAdder();
  private final BackgroundWriter<AccessEntry> writer =
      new BackgroundWriter<>("penstock-access-log", MAX_QUEUED, dropped, this::write);
  private final StringBuilder lines = new StringBuilder();
  private volatile boolean reopen;
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
    writer.start();
  }

  /** Queues an entry. */
  public void add(AccessEntry entry) {
    writer.offer(entry);
  }

  /** Returns the number of dropped entries. */
  public long dropped() {
    return dropped.sum();
  }

  /** Reopens the destination before the next line, for log rotation. */
  public void reopen() {
    reopen = true;
  }

  private void write(List<AccessEntry> entries) {
    lines.setLength(0);
    for (AccessEntry entry : entries) {
      format.append(entry, lines);
      lines.append('\n');
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
      dropped.add(entries.size());
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
    if (writer.stop(CLOSE_MILLIS)) {
      closeOutput();
    }
  }
}
