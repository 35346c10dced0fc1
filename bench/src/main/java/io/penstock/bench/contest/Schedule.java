package io.penstock.bench.contest;

import java.time.Duration;

/** The number and duration of measurements of each entry. */
public record Schedule(
    int decisiveForks, int otherForks, int warmups, int iterations, Duration iteration) {
  private static final double FORK_START_SECONDS = 1;

  private static final int LONG_WARMUP = 3;

  private static final Schedule FULL = new Schedule(5, 3, 2, 3, Duration.ofMillis(800));
  private static final Schedule QUICK = new Schedule(1, 1, 1, 2, Duration.ofMillis(500));

  public static Schedule of(boolean quick) {
    return quick ? QUICK : FULL;
  }

  /** Returns this schedule with a longer warm-up, for code that takes longer to compile. */
  public Schedule withLongWarmup() {
    return new Schedule(decisiveForks, otherForks, LONG_WARMUP * warmups, iterations, iteration);
  }

  /** Returns this schedule with at most two forks per entry, for many entries. */
  public Schedule withFewForks() {
    return new Schedule(
        Math.min(2, decisiveForks), Math.min(2, otherForks), warmups, iterations, iteration);
  }

  int forks(Entry entry) {
    return entry.decisive() ? decisiveForks : otherForks;
  }

  double forkSeconds() {
    return (warmups + iterations) * iteration.toMillis() / 1_000.0 + FORK_START_SECONDS;
  }
}
