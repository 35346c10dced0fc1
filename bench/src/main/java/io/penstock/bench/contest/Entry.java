package io.penstock.bench.contest;

import java.util.Map;

/**
 * A contender in a row.
 *
 * @param benchmark the full name of the JMH method
 * @param parameters of that method's state
 * @param decisive whether a RATIO line depends on it, so that it is worth more forks
 */
public record Entry(
    Row row, String contender, String benchmark, Map<String, String> parameters, boolean decisive) {
  @Override
  public String toString() {
    return row + ": " + contender;
  }
}
