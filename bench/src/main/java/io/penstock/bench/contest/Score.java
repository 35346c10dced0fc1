package io.penstock.bench.contest;

import java.util.List;
import java.util.function.ToDoubleFunction;

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
    return sorted(Sample::opsPerSecond)[0];
  }

  public double max() {
    return sorted(Sample::opsPerSecond)[samples.size() - 1];
  }

  public double bytesPerOp() {
    return median(Sample::bytesPerOp);
  }

  private double median(ToDoubleFunction<Sample> of) {
    double[] sorted = sorted(of);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private double[] sorted(ToDoubleFunction<Sample> of) {
    return samples.stream().mapToDouble(of).sorted().toArray();
  }
}
