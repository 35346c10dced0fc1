package io.penstock.bench.contest;

import java.util.Map;

/**
 * A contender in a table.
 *
 * @param benchmark the full name of the JMH method
 * @param parameters the JMH parameters of its state
 * @param collector the garbage collector of its forks
 */
public record Entry(
    Row row,
    String contender,
    String benchmark,
    Map<String, String> parameters,
    Repetition repetition,
    Collector collector) {
  /** Creates an entry with the default collector. */
  public Entry(
      Row row,
      String contender,
      String benchmark,
      Map<String, String> parameters,
      Repetition repetition) {
    this(row, contender, benchmark, parameters, repetition, Collector.G1);
  }

  /** How often an entry is measured. */
  public enum Repetition {
    /** No ratio depends on it. */
    NORMAL,

    /** A ratio depends on it. */
    DECISIVE,

    /** A ratio depends on it, and its threads contend, so that forks differ by a factor. */
    CONTENDED
  }

  @Override
  public String toString() {
    return row + ": " + contender;
  }
}
