package io.penstock.policy.cases;

/**
 * A field of a response that differs from the expectation. Immutable.
 *
 * @param field such as {@code allowed} or {@code limits[1].remaining}
 * @param expected as written in responses, without quotes
 * @param actual as written in responses, without quotes
 */
public record Mismatch(String field, String expected, String actual) {
  @Override
  public String toString() {
    return field + ": expected " + expected + ", was " + actual;
  }
}
