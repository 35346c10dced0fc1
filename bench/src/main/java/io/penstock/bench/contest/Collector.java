package io.penstock.bench.contest;

/** A garbage collector of the JVM. */
public enum Collector {
  /** The default of the JVM. Its write barriers are more expensive than those of ParallelGC. */
  G1("-XX:+UseG1GC"),
  PARALLEL("-XX:+UseParallelGC");

  private final String option;

  Collector(String option) {
    this.option = option;
  }

  /** Returns the option of the JVM. */
  public String option() {
    return option;
  }
}
