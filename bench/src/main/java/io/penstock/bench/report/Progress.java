package io.penstock.bench.report;

import java.time.Duration;
import java.util.Locale;

/** Prints the current step and the estimated remaining time to standard error. */
public final class Progress {
  /** On a terminal, one line is updated; otherwise each step gets its own line. */
  private static final boolean TERMINAL = Boolean.getBoolean("bench.terminal");

  private final int total;
  private final double expectedSeconds;
  private final long startNanos = System.nanoTime();
  private int started;

  /**
   * @param expectedSeconds the initial estimate of the duration of a step
   */
  public Progress(int total, double expectedSeconds) {
    this.total = total;
    this.expectedSeconds = expectedSeconds;
  }

  public void next(String step) {
    next(step, 1);
  }

  /** Starts a step that takes as long as several, and counts as that many. */
  public void next(String step, int steps) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    // The initial estimate counts as one step, so that the first real step does not dominate.
    double each = (seconds + expectedSeconds) / (started + 1);
    Duration left = Duration.ofSeconds(Math.round(each * (total - started)));
    int first = started + 1;
    started += steps;
    String line =
        String.format(
            Locale.ROOT,
            "[%3d/%d] %s, about %d:%02d left",
            first,
            total,
            step,
            left.toMinutes(),
            left.toSecondsPart());
    System.err.print(TERMINAL ? "\r\033[K" + line : line + System.lineSeparator());
  }

  /** Clears the line on a terminal. */
  public void done() {
    if (TERMINAL) {
      System.err.print("\r\033[K");
    }
  }
}
