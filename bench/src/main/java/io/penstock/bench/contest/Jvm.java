package io.penstock.bench.contest;

import java.util.List;

/** Options of every JVM that measures. */
public final class Jvm {
  /** JMH, Caffeine and JOL use what newer JVMs warn about and older ones do not know. */
  public static final List<String> QUIET =
      List.of(
          "-XX:+IgnoreUnrecognizedVMOptions",
          "--sun-misc-unsafe-memory-access=allow",
          "--enable-native-access=ALL-UNNAMED");

  /** The heap of a fork: a million keys of the hungriest contender, with room to collect. */
  public static final String HEAP = "2g";

  private Jvm() {}
}
