package io.penstock.policy.cases;

/**
 * A field of an answer that is not as expected. Immutable.
 *
 * @param field such as {@code allowed} or {@code limits[1].remaining}
 * @param expected as answers write it, without quotes
 * @param actual as answers write it, without quotes
 */
public record Mismatch(String field, String expected, String actual) {
  @Override
  public String toString() {
    return field + ": expected " + expected + ", was " + actual;
  }
}
