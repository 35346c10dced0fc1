package io.penstock.bench.contest;

import io.penstock.bench.report.Estimate;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** The results of all forks of an entry. */
public record Score(List<Sample> samples) {
  public Score {
    samples = List.copyOf(samples);
    if (samples.isEmpty()) {
      throw new IllegalArgumentException("samples must not be empty: " + samples);
    }
  }

  public double opsPerSecond() {
    return median(Sample::opsPerSecond);
  }

  public double min() {
    return Collections.min(rounds());
  }

  public double max() {
    return Collections.max(rounds());
  }

  public double bytesPerOp() {
    return median(Sample::bytesPerOp);
  }

  /** Returns the throughput of each fork. */
  List<Double> rounds() {
    return figures(Sample::opsPerSecond);
  }

  private double median(Function<Sample, Double> of) {
    return Estimate.median(figures(of));
  }

  private List<Double> figures(Function<Sample, Double> of) {
    return samples.stream().map(of).toList();
  }
}
