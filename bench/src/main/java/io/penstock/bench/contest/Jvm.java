package io.penstock.bench.contest;

import java.util.List;

/** The options of all measuring JVMs. */
public final class Jvm {
  /**
   * Suppresses warnings of newer JVMs about JMH, Caffeine and JOL. Older JVMs ignore these options.
   */
  public static final List<String> QUIET =
      List.of(
          "-XX:+IgnoreUnrecognizedVMOptions",
          "--sun-misc-unsafe-memory-access=allow",
          "--enable-native-access=ALL-UNNAMED");

  /**
   * The heap of a fork: a million keys of the contender that needs the most memory, with room for
   * garbage collection.
   */
  public static final String HEAP = "2g";

  private Jvm() {}
}
