package io.penstock.bench.redis;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * What callers were answered.
 *
 * @param gaveUp requests without an answer
 * @param nanos how long they asked
 * @param bytes what was allocated for them
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

  /** As one process says it to another. */
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
