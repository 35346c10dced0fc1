package io.penstock.bench.http;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A figure of a server in each round, such as its throughput. */
final class Rates {
  private final List<Double> rounds = new ArrayList<>();

  void add(double figure) {
    rounds.add(figure);
  }

  double median() {
    return median(rounds);
  }

  double min() {
    return rounds.stream().mapToDouble(Double::doubleValue).min().orElse(0);
  }

  double max() {
    return rounds.stream().mapToDouble(Double::doubleValue).max().orElse(0);
  }

  /**
   * Returns the median of the ratios per round, so that a slow phase of the machine affects both.
   */
  double over(Rates other) {
    return over(other, 0, rounds.size());
  }

  /** Returns the ratio in each run of {@code roundsOfRun} rounds, in ascending order. */
  List<Double> overByRun(Rates other, int roundsOfRun) {
    return IntStream.range(0, rounds.size() / roundsOfRun)
        .mapToObj(run -> over(other, run * roundsOfRun, (run + 1) * roundsOfRun))
        .sorted()
        .toList();
  }

  private double over(Rates other, int from, int to) {
    return median(
        IntStream.range(from, to)
            .mapToObj(round -> rounds.get(round) / other.rounds.get(round))
            .toList());
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
