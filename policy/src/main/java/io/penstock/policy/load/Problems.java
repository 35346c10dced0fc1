package io.penstock.policy.load;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Collects the errors and warnings of a document, so that they are reported together. Not
 * thread-safe.
 *
 * <p>All problems are counted. Of each severity only the first {@code max} are kept, followed by
 * one that states how many were omitted. Otherwise the report about a document in which every field
 * is wrong could be many times its size.
 */
public final class Problems {
  private static final int MAX_IN_FILES = 1_000;

  private static final Comparator<Problem> BY_LOCATION =
      comparing(Problem::location, comparing(Location::file))
          .thenComparing(Problem::location, comparingInt(Location::line))
          .thenComparing(Problem::location, comparingInt(Location::column));

  private final int max;
  private final ProblemList errors = new ProblemList(Problem.Severity.ERROR);
  private final ProblemList warnings = new ProblemList(Problem.Severity.WARNING);

  /** Keeps as many problems as the author of a file may want to read. */
  public Problems() {
    this(MAX_IN_FILES);
  }

  /**
   * @param max how many errors, and how many warnings, are kept
   */
  public Problems(int max) {
    this.max = max;
  }

  /** Adds an error, which makes the file unusable. */
  public void error(Location location, String path, String message) {
    errors.add(location, path, message);
  }

  /** Adds a warning for the author. */
  public void warning(Location location, String path, String message) {
    warnings.add(location, path, message);
  }

  /** Returns the number of errors so far. If it stays the same, a part was read without errors. */
  public int errorCount() {
    return errors.count;
  }

  /** Returns whether further errors are only counted, so that their messages don't matter. */
  boolean isFull() {
    return errors.count >= max;
  }

  /** Returns the errors, ordered by file and line. */
  public List<Problem> errors() {
    return errors.sorted();
  }

  /** Returns the warnings, ordered by file and line. */
  public List<Problem> warnings() {
    return warnings.sorted();
  }

  /**
   * Throws an exception with all problems if there are errors.
   *
   * @throws PolicyException if there are errors
   */
  public void throwIfErrors() {
    if (errors.count > 0) {
      throw new PolicyException(errors(), warnings());
    }
  }

  /** The first problems of one severity, and their total number. */
  private final class ProblemList {
    final Problem.Severity severity;
    final List<Problem> first = new ArrayList<>();
    int count;

    ProblemList(Problem.Severity severity) {
      this.severity = severity;
    }

    void add(Location location, String path, String message) {
      if (count++ < max) {
        first.add(new Problem(severity, location, path, message));
      }
    }

    List<Problem> sorted() {
      List<Problem> sorted = new ArrayList<>(first);
      sorted.sort(BY_LOCATION);
      if (count > first.size()) {
        Location last = sorted.get(sorted.size() - 1).location();
        sorted.add(
            new Problem(
                severity,
                Location.of(last.file()),
                "",
                String.format(Locale.ROOT, "… and %,d more", count - first.size())));
      }
      return List.copyOf(sorted);
    }
  }
}
