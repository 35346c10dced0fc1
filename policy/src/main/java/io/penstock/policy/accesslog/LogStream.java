package io.penstock.policy.accesslog;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one or more logs, merged by time. Reading and parsing happen on a thread of their
 * own, ahead of the consumer. Use an instance once.
 */
public final class LogStream {
  private static final int BATCH = 1024;
  private static final int MAX_BATCHES = 16;
  private static final int MAX_BATCH_BYTES = 1 << 20;
  private static final int MAX_NAMES = 10;
  private static final LogEntry[] END = {};

  private final List<LogSource> sources;
  private final LogOptions options;
  private final ReadSummary summary = new ReadSummary();
  private final List<UnrecognizedLogException> unrecognized = new ArrayList<>();
  private final HeldBytes held = new HeldBytes();
  private final BlockingQueue<@Nullable LogEntry[]> batches = new ArrayBlockingQueue<>(MAX_BATCHES);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  public LogStream(List<LogSource> sources, LogOptions options) {
    this.sources = List.copyOf(sources);
    this.options = options;
  }

  /** Returns the counts, which change while the logs are read. */
  public ReadSummary summary() {
    return summary;
  }

  /** Returns the size of all logs in bytes; 0 if unknown. */
  public long size() {
    long size = 0;
    for (LogSource source : sources) {
      if (source.size() == 0) {
        return 0;
      }
      size += source.size();
    }
    return size;
  }

  /**
   * Passes all entries to {@code consumer}, in the calling thread.
   *
   * @throws AccessLogException if a log can't be opened or its format is not recognized
   */
  public void forEach(Consumer<LogEntry> consumer) {
    Thread reader = new Thread(this::readAll, "log-reader");
    reader.setDaemon(true);
    reader.start();
    try {
      for (@Nullable LogEntry[] batch = batches.take(); batch != END; batch = batches.take()) {
        for (LogEntry entry : batch) {
          if (entry == null) {
            break;
          }
          consumer.accept(entry);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AccessLogException("interrupted", e);
    } finally {
      reader.interrupt();
    }
    Throwable cause = failure.get();
    if (cause instanceof AccessLogException exception) {
      throw exception;
    }
    if (cause != null) {
      throw new AccessLogException("cannot read the logs: " + cause, cause);
    }
  }

  private void readAll() {
    try {
      try {
        merge();
      } catch (RuntimeException | Error e) {
        failure.set(e);
      }
      batches.put(END);
    } catch (InterruptedException consumerFailed) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * A log and its next entry.
   *
   * @param reader null if the log is not open yet; then the entry is the first one
   */
  private record LogHead(LogSource source, @Nullable LogReader reader, LogEntry entry) {}

  private void merge() throws InterruptedException {
    // All logs are read by one thread, so they can share the caches.
    EntryReader entries = new EntryReader(options.fields());
    Set<LogReader> open = new HashSet<>();
    PriorityQueue<LogHead> heads =
        new PriorityQueue<>(Comparator.comparingLong(head -> head.entry.timeNanos()));
    try {
      for (LogSource source : sources) {
        // Of many files, only those that overlap in time are open together.
        LogEntry first =
            sources.size() > 1 && source.isReopenable() ? first(source, entries) : null;
        if (first != null) {
          heads.add(new LogHead(source, null, first));
        } else {
          open(source, entries, open, heads);
        }
      }
      @Nullable LogEntry[] batch = new @Nullable LogEntry[BATCH];
      int size = 0;
      int bytes = 0;
      long requests = 0;
      while (!heads.isEmpty() && requests <= options.maxRequests()) {
        LogHead head = heads.remove();
        LogReader reader = head.reader;
        if (reader == null) {
          open(head.source, entries, open, heads);
          continue;
        }
        LogEntry entry = head.entry;
        long until = heads.isEmpty() ? Long.MAX_VALUE : heads.peek().entry.timeNanos();
        // Other logs are later, so the queue of logs needs no update for each entry.
        while (entry != null && entry.timeNanos() <= until) {
          requests += entry.count();
          if (requests > options.maxRequests()) {
            String limit = "only the first " + options.maxRequests() + " requests are read";
            summary.unreadable().addProblem(limit);
            break;
          }
          batch[size++] = entry;
          bytes += entry.bytes();
          if (size == BATCH || bytes > MAX_BATCH_BYTES) {
            batches.put(batch);
            batch = new @Nullable LogEntry[BATCH];
            size = 0;
            bytes = 0;
          }
          entry = reader.next();
        }
        if (entry != null) {
          heads.add(new LogHead(head.source, reader, entry));
        } else {
          reader.close();
          open.remove(reader);
        }
      }
      batches.put(batch);
      reportUnrecognized();
    } finally {
      open.forEach(LogReader::close);
    }
  }

  /** Returns the first entry of a log, or null. */
  private @Nullable LogEntry first(LogSource source, EntryReader entries) {
    try (LogReader reader =
        new LogReader(source, options, entries, new HeldBytes(), new ReadSummary())) {
      return reader.next();
    } catch (UnrecognizedLogException unrecognized) {
      // The log is opened again, and then reported.
      return null;
    }
  }

  private void open(
      LogSource source, EntryReader entries, Set<LogReader> open, PriorityQueue<LogHead> heads) {
    LogReader reader = new LogReader(source, options, entries, held, summary);
    open.add(reader);
    try {
      LogEntry first = reader.next();
      if (first != null) {
        heads.add(new LogHead(source, reader, first));
      }
    } catch (UnrecognizedLogException e) {
      if (sources.size() == 1) {
        throw e;
      }
      unrecognized.add(e);
    }
  }

  /** Reports the logs that are left out, unless these are all. */
  private void reportUnrecognized() {
    if (unrecognized.isEmpty()) {
      return;
    }
    if (summary.formats().isEmpty()) {
      throw unrecognized.get(0);
    }
    summary
        .unreadable()
        .addProblem(
            unrecognized.size()
                + " of "
                + sources.size()
                + " logs are left out, because their format is not recognized: "
                + unrecognized.stream()
                    .limit(MAX_NAMES)
                    .map(UnrecognizedLogException::describe)
                    .collect(Collectors.joining(", "))
                + (unrecognized.size() > MAX_NAMES ? ", …" : ""));
  }
}
