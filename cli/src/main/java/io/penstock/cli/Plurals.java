package io.penstock.cli;

/** Formats counts. */
final class Plurals {
  private Plurals() {}

  /** {@code 1 error}, {@code 2 errors}. */
  static String of(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }
}
