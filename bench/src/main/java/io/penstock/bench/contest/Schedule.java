package io.penstock.bench.contest;

import java.time.Duration;

/** The number and duration of measurements of each entry. */
public record Schedule(
    int contendedForks,
    int decisiveForks,
    int otherForks,
    int warmups,
    int iterations,
    Duration iteration) {
  private static final double FORK_START_SECONDS = 1;

  private static final int LONG_WARMUP = 3;

  private static final Schedule FULL = new Schedule(20, 5, 3, 2, 3, Duration.ofMillis(600));
  private static final Schedule QUICK = new Schedule(1, 1, 1, 1, 2, Duration.ofMillis(500));

  public static Schedule of(boolean quick) {
    return quick ? QUICK : FULL;
  }

  /** Returns this schedule with a longer warm-up, for code that takes longer to compile. */
  public Schedule withLongWarmup() {
    return new Schedule(
        contendedForks, decisiveForks, otherForks, LONG_WARMUP * warmups, iterations, iteration);
  }

  /** Returns this schedule with at most two forks per entry, for many entries. */
  public Schedule withFewForks() {
    int forks = Math.min(2, otherForks);
    return new Schedule(forks, forks, forks, warmups, iterations, iteration);
  }

  int forks(Entry entry) {
    return switch (entry.repetition()) {
      case NORMAL -> otherForks;
      case DECISIVE -> decisiveForks;
      case CONTENDED -> contendedForks;
    };
  }

  int maxForks() {
    return Math.max(contendedForks, Math.max(decisiveForks, otherForks));
  }

  double forkSeconds() {
    return (warmups + iterations) * iteration.toMillis() / 1_000.0 + FORK_START_SECONDS;
  }
}
