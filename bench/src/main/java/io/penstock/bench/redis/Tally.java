package io.penstock.bench.redis;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The results of callers.
 *
 * @param gaveUp requests without a decision
 * @param nanos the duration of the run
 * @param bytes the bytes allocated
 */
record Tally(long allowed, long denied, long gaveUp, long nanos, long bytes) {
  static final Tally NOTHING = new Tally(0, 0, 0, 0, 0);

  long requests() {
    return allowed + denied + gaveUp;
  }

  Tally plus(Tally other) {
    return new Tally(
        allowed + other.allowed,
        denied + other.denied,
        gaveUp + other.gaveUp,
        Math.max(nanos, other.nanos),
        bytes + other.bytes);
  }

  /** Formats the tally for another process. */
  String toLine() {
    return LongStream.of(allowed, denied, gaveUp, nanos, bytes)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(" "));
  }

  static Tally ofLine(String line) {
    long[] figures = Arrays.stream(line.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    return new Tally(figures[0], figures[1], figures[2], figures[3], figures[4]);
  }
}
