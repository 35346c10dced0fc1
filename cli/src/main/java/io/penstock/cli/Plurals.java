package io.penstock.cli;

/** Numbers for people. */
final class Plurals {
  private Plurals() {}

  /** {@code 1 error}, {@code 2 errors}. */
  static String of(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }
}
