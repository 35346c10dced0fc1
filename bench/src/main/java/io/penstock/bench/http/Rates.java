package io.penstock.bench.http;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What a server reached in each round. */
final class Rates {
  private final List<Double> rounds = new ArrayList<>();

  void add(double perSecond) {
    rounds.add(perSecond);
  }

  double median() {
    return median(rounds);
  }

  double least() {
    return rounds.stream().mapToDouble(Double::doubleValue).min().orElse(0);
  }

  double most() {
    return rounds.stream().mapToDouble(Double::doubleValue).max().orElse(0);
  }

  /** The median over rounds of how this compares, so that a slow minute slows down both. */
  double over(Rates other) {
    return over(other, 0, rounds.size());
  }

  /** How this compares in each run of so many rounds, the least first. */
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
