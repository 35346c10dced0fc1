package io.penstock.cli;

import io.penstock.policy.accesslog.LogStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Shows on standard error how much of a log was read, how fast, and the time left. */
final class ProgressBar implements AutoCloseable {
  private static final int WIDTH = 30;
  private static final int INTERVAL_MILLIS = 250;
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final LogStream log;
  private final Console console;
  private final boolean isShown;
  private final Supplier<String> after;
  private final long startNanos = System.nanoTime();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "progress");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * @param after describes what happens once the log is read; empty as long as it isn't
   */
  ProgressBar(LogStream log, Console console, boolean isShown, Supplier<String> after) {
    this.after = after;
    this.log = log;
    this.console = console;
    this.isShown = isShown;
  }

  void start() {
    if (isShown) {
      var unused =
          timer.scheduleAtFixedRate(
              this::print, INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void print() {
    String next = after.get();
    console
        .err()
        .print(
            CLEAR_LINE
                + (next.isEmpty()
                    ? text(
                        log.summary().lines(),
                        log.summary().bytes(),
                        log.size(),
                        Duration.ofNanos(System.nanoTime() - startNanos))
                    : next));
    console.err().flush();
  }

  /**
   * @param size of all logs; 0 if unknown
   */
  static String text(long lines, long bytes, long size, Duration elapsed) {
    double seconds = Math.max(0.001, elapsed.toMillis() / 1_000.0);
    String rate =
        String.format(Locale.ROOT, "%,d lines, %,d lines/s", lines, Math.round(lines / seconds));
    if (size == 0 || bytes == 0) {
      return rate;
    }
    double share = Math.min(1, (double) bytes / size);
    int filled = (int) (share * WIDTH);
    long left = Math.round(seconds * (1 - share) / share);
    return "["
        + "#".repeat(filled)
        + ".".repeat(WIDTH - filled)
        + String.format(
            Locale.ROOT,
            "] %d %%, %s, %d:%02d left",
            (int) (share * 100),
            rate,
            left / 60,
            left % 60);
  }

  /** Describes how many passes over the requests are complete; empty if there are none yet. */
  static String passes(int done, int all) {
    if (all == 0) {
      return "";
    }
    int filled = done * WIDTH / all;
    return "["
        + "#".repeat(filled)
        + ".".repeat(WIDTH - filled)
        + "] log read, computing limits: "
        + done
        + " of "
        + all;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    if (isShown) {
      console.err().print(CLEAR_LINE);
      console.err().flush();
    }
  }
}
