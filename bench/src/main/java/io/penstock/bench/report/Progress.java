package io.penstock.bench.report;

import java.time.Duration;
import java.util.Locale;

/** Says on standard error what is being measured and how long the rest may take. */
public final class Progress {
  /** A terminal shows one line that changes, anything else gets a line for each step. */
  private static final boolean TERMINAL = Boolean.getBoolean("bench.terminal");

  private final int total;
  private final double expectedSeconds;
  private final long startNanos = System.nanoTime();
  private int begun;

  /**
   * @param expectedSeconds how long a step takes as far as is known before the first
   */
  public Progress(int total, double expectedSeconds) {
    this.total = total;
    this.expectedSeconds = expectedSeconds;
  }

  public void next(String step) {
    next(step, 1);
  }

  /** Begins what takes as long as several steps do, and counts as that many. */
  public void next(String step, int steps) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    // The expectation counts as one step, so that the first real one does not decide alone.
    double each = (seconds + expectedSeconds) / (begun + 1);
    Duration left = Duration.ofSeconds(Math.round(each * (total - begun)));
    int first = begun + 1;
    begun += steps;
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

  /** Leaves the terminal as if nothing had been there. */
  public void done() {
    if (TERMINAL) {
      System.err.print("\r\033[K");
    }
  }
}
