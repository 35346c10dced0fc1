package io.penstock.bench.redis;

/**
 * The results of callers.
 *
 * @param gaveUp requests without a decision
 * @param nanos the duration of the run
 * @param used the usage of all Java threads of the client
 * @param latencies of all requests; empty unless the callers measured them
 */
record Tally(long allowed, long denied, long gaveUp, long nanos, Usage used, Latencies latencies) {
  static final Tally NOTHING = new Tally(0, 0, 0, 0);

  /** Creates a tally of callers that measured only the duration. */
  Tally(long allowed, long denied, long gaveUp, long nanos) {
    this(allowed, denied, gaveUp, nanos, Usage.NONE, new Latencies());
  }

  long requests() {
    return allowed + denied + gaveUp;
  }

  Tally plus(Tally other) {
    return new Tally(
        allowed + other.allowed,
        denied + other.denied,
        gaveUp + other.gaveUp,
        Math.max(nanos, other.nanos),
        used.plus(other.used),
        latencies.plus(other.latencies));
  }

  /** Formats the tally for another process. */
  String toLine() {
    return "%d %d %d %d %d %d %s"
        .formatted(
            allowed, denied, gaveUp, nanos, used.bytes(), used.cpuNanos(), latencies.toWord());
  }

  static Tally ofLine(String line) {
    String[] words = line.split(" ", -1);
    return new Tally(
        Long.parseLong(words[0]),
        Long.parseLong(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        new Usage(Long.parseLong(words[4]), Long.parseLong(words[5])),
        Latencies.ofWord(words[6]));
  }
}
