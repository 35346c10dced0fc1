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
 * <p>All are counted; of each severity only the first {@code max} are kept, and one more that says
 * how many others there are. A document in which every field is wrong would otherwise become a
 * report many times its size.
 */
public final class Problems {
  private static final int MAX_IN_FILES = 1_000;

  private static final Comparator<Problem> AS_READ =
      comparing(Problem::location, comparing(Location::file))
          .thenComparing(Problem::location, comparingInt(Location::line))
          .thenComparing(Problem::location, comparingInt(Location::column));

  private final int max;
  private final Kept errors = new Kept(Problem.Severity.ERROR);
  private final Kept warnings = new Kept(Problem.Severity.WARNING);

  /** Keeps as many problems as somebody may want to read of their own files. */
  public Problems() {
    this(MAX_IN_FILES);
  }

  /**
   * @param max how many errors, and how many warnings, are kept
   */
  public Problems(int max) {
    this.max = max;
  }

  /** Adds something because of which the file can't be used. */
  public void error(Location location, String path, String message) {
    errors.add(location, path, message);
  }

  /** Adds something that its author should know. */
  public void warning(Location location, String path, String message) {
    warnings.add(location, path, message);
  }

  /** How many errors there are by now: no more afterwards means that a part was read well. */
  public int errorCount() {
    return errors.count;
  }

  /** Whether further errors are only counted, so that their messages need no care. */
  boolean isFull() {
    return errors.count >= max;
  }

  /** The errors, in the order of files and lines. */
  public List<Problem> errors() {
    return errors.sorted();
  }

  /** The warnings, in the order of files and lines. */
  public List<Problem> warnings() {
    return warnings.sorted();
  }

  /**
   * Ends the reading of a file that can't be used.
   *
   * @throws PolicyException if there are errors
   */
  public void throwIfErrors() {
    if (errors.count > 0) {
      throw new PolicyException(errors(), warnings());
    }
  }

  /** The first problems of one severity, and how many there are. */
  private final class Kept {
    final Problem.Severity severity;
    final List<Problem> first = new ArrayList<>();
    int count;

    Kept(Problem.Severity severity) {
      this.severity = severity;
    }

    void add(Location location, String path, String message) {
      if (count++ < max) {
        first.add(new Problem(severity, location, path, message));
      }
    }

    List<Problem> sorted() {
      List<Problem> sorted = new ArrayList<>(first);
      sorted.sort(AS_READ);
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
