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
 * Writes a line for each request that is over. Thread-safe.
 *
 * <p>A thread of its own writes, so nobody who adds an entry ever waits: if whoever reads the log
 * can't keep up, entries are dropped and counted.
 */
public final class AccessLog implements AutoCloseable {
  /** So many entries wait at most. */
  static final int MAX_WAITING = 8_192;

  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(AccessLog.class));
  private static final int MAX_BATCH = 256;
  private static final long PAUSE_MILLIS = 200;
  private static final long CLOSE_MILLIS = 1_000;

  private final AccessFormat form;
  private final Destination destination;
  private final BlockingQueue<AccessEntry> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final LongAdder dropped = new LongAdder();
  private final Thread writer = new Thread(this::write, "penstock-access-log");
  private volatile boolean reopen;
  private volatile boolean closing;
  private OutputStream out;

  /** Where lines go. */
  @FunctionalInterface
  public interface Destination {
    /** Opens it, to add to what is there. */
    OutputStream open() throws IOException;

    static Destination file(Path file) {
      return () ->
          Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** The standard output of the process, which stays open. */
    static Destination standardOutput() {
      return () ->
          new FileOutputStream(FileDescriptor.out) {
            @Override
            public void close() {}
          };
    }
  }

  /**
   * @throws IOException if it can't be written
   */
  public AccessLog(AccessFormat form, Destination destination) throws IOException {
    this.form = form;
    this.destination = destination;
    this.out = destination.open();
    writer.setDaemon(true);
    writer.start();
  }

  /** Writes an entry, soon. */
  public void add(AccessEntry entry) {
    if (!waiting.offer(entry)) {
      dropped.increment();
    }
  }

  /** How many entries were lost. */
  public long dropped() {
    return dropped.sum();
  }

  /** Opens the destination anew before the next line: for files that were moved away. */
  public void reopen() {
    reopen = true;
  }

  private void write() {
    StringBuilder lines = new StringBuilder();
    try {
      while (!closing || !waiting.isEmpty()) {
        AccessEntry next = waiting.poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        if (next != null) {
          write(next, lines);
        }
      }
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    } finally {
      shut();
    }
  }

  private void write(AccessEntry first, StringBuilder lines) {
    lines.setLength(0);
    int count = 0;
    for (AccessEntry next = first; next != null; next = waiting.poll()) {
      form.append(next, lines);
      lines.append('\n');
      if (++count == MAX_BATCH) {
        break;
      }
    }
    try {
      if (reopen) {
        reopen = false;
        shut();
        out = destination.open();
      }
      out.write(lines.toString().getBytes(US_ASCII));
      out.flush();
    } catch (IOException e) {
      dropped.add(count);
      // A file that could not be opened may be there again the next time.
      reopen = true;
      WARNING.warn("the access log can't be written: " + e.getMessage());
    }
  }

  private void shut() {
    try {
      out.close();
    } catch (IOException e) {
      WARNING.warn("the access log can't be closed: " + e.getMessage());
    }
  }

  /** Writes what is waiting, if that takes no longer than a second. */
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
