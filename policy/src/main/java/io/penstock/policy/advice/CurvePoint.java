package io.penstock.policy.advice;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The bursts that keys need at one rate: each is the smallest with which that share of the keys is
 * never denied. Immutable.
 *
 * @param spared for the share that the balanced suggestion spares
 * @param tight for the share that the tight suggestion spares
 */
public record CurvePoint(
    CandidateRate rate,
    long p50,
    long p95,
    long p99,
    long p999,
    long max,
    long spared,
    long tight) {

  /** Returns the point of a rule. Keys whose requests are denied at any limit don't count. */
  static CurvePoint of(BurstDemand demand, int firstBucket, int end, AdviceOptions options) {
    long[] bursts =
        IntStream.range(firstBucket, end)
            .mapToLong(demand::burst)
            .filter(burst -> burst > 0)
            .toArray();
    if (bursts.length == 0) {
      bursts = new long[] {1};
    }
    Arrays.sort(bursts);
    return new CurvePoint(
        demand.rate(),
        quantile(bursts, 50),
        quantile(bursts, 95),
        quantile(bursts, 99),
        quantile(bursts, 99.9),
        quantile(bursts, 100),
        quantile(bursts, options.sparePercent()),
        quantile(bursts, options.tightPercent()));
  }

  /** Returns the smallest value that at least {@code percent} of all values don't exceed. */
  static long quantile(long[] sorted, double percent) {
    int rank = (int) Math.ceil(sorted.length * percent / 100 - 1e-9);
    return sorted[Math.max(0, Math.min(sorted.length, rank) - 1)];
  }
}
