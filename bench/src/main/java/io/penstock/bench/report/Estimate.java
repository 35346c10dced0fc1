package io.penstock.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A median of rounds with its interval: the range that contains 95 % of the medians of random
 * samples of the same rounds (a percentile bootstrap). With few rounds, that is the range of the
 * rounds; with one, there is no interval.
 */
public record Estimate(double value, double low, double high) {
  private static final int RESAMPLES = 2_000;
  private static final double TAIL = 0.025;

  /** Makes the interval of the same rounds always the same. */
  private static final long SEED = 0x9e3779b97f4a7c15L;

  /** Returns a figure without an interval. */
  public static Estimate exact(double value) {
    return new Estimate(value, value, value);
  }

  /** Returns the median of some rounds. */
  public static Estimate of(List<Double> rounds) {
    double[] values = rounds.stream().mapToDouble(Double::doubleValue).toArray();
    SplittableRandom random = new SplittableRandom(SEED);
    double[] medians =
        IntStream.range(0, RESAMPLES)
            .mapToDouble(unused -> median(resample(values, random)))
            .sorted()
            .toArray();
    int tail = (int) (TAIL * RESAMPLES);
    return new Estimate(median(values), medians[tail], medians[RESAMPLES - 1 - tail]);
  }

  /**
   * Returns the median of the ratios of each round, so that a slow phase of the machine affects
   * both sides. Rounds that only one side has don't count.
   */
  public static Estimate ofRatios(List<Double> ours, List<Double> theirs) {
    return of(
        IntStream.range(0, Math.min(ours.size(), theirs.size()))
            .mapToObj(round -> ours.get(round) / theirs.get(round))
            .toList());
  }

  /** Returns the median; that of an even number is the mean of the middle two. */
  public static double median(List<Double> rounds) {
    return median(rounds.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static double median(double[] values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("rounds must not be empty: []");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private static double[] resample(double[] values, SplittableRandom random) {
    return IntStream.range(0, values.length)
        .mapToDouble(unused -> values[random.nextInt(values.length)])
        .toArray();
  }

  boolean hasInterval() {
    return low < high;
  }

  /** Returns whether the interval includes a value. */
  boolean includes(double other) {
    return low <= other && other <= high;
  }
}
