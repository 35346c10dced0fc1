package io.penstock.bench.contest;

import java.util.Map;

/**
 * A contender in a table.
 *
 * @param benchmark the full name of the JMH method
 * @param parameters the JMH parameters of its state
 * @param decisive whether a RATIO line depends on it, so that it gets more forks
 */
public record Entry(
    Row row, String contender, String benchmark, Map<String, String> parameters, boolean decisive) {
  @Override
  public String toString() {
    return row + ": " + contender;
  }
}
