package io.penstock.bench.http;

import io.penstock.bench.report.Estimate;
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
    return Estimate.median(rounds);
  }

  double min() {
    return rounds.stream().mapToDouble(Double::doubleValue).min().orElse(0);
  }

  double max() {
    return rounds.stream().mapToDouble(Double::doubleValue).max().orElse(0);
  }

  /**
   * Returns the ratio to the figures of another server. With several runs of {@code roundsOfRun}
   * rounds, the runs are compared, because processes differ more than rounds of one process.
   */
  Estimate over(Rates other, int roundsOfRun) {
    return rounds.size() > roundsOfRun
        ? Estimate.of(overByRun(other, roundsOfRun))
        : Estimate.ofRatios(rounds, other.rounds);
  }

  /** Returns the ratio in each run of {@code roundsOfRun} rounds, in ascending order. */
  List<Double> overByRun(Rates other, int roundsOfRun) {
    return IntStream.range(0, rounds.size() / roundsOfRun)
        .mapToObj(run -> over(other, run * roundsOfRun, (run + 1) * roundsOfRun))
        .sorted()
        .toList();
  }

  private double over(Rates other, int from, int to) {
    return Estimate.ofRatios(rounds.subList(from, to), other.rounds.subList(from, to)).value();
  }

  int size() {
    return rounds.size();
  }
}
