package io.penstock.policy.load;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects what is wrong, so that all of it can be said at once. Not thread-safe. */
public final class Problems {
  private static final Comparator<Problem> AS_READ =
      comparing(Problem::location, comparing(Location::file))
          .thenComparing(Problem::location, comparingInt(Location::line))
          .thenComparing(Problem::location, comparingInt(Location::column));

  private final List<Problem> errors = new ArrayList<>();
  private final List<Problem> warnings = new ArrayList<>();

  /** Adds something because of which the file can't be used. */
  public void error(Location location, String path, String message) {
    errors.add(new Problem(Problem.Severity.ERROR, location, path, message));
  }

  /** Adds something that its author should know. */
  public void warning(Location location, String path, String message) {
    warnings.add(new Problem(Problem.Severity.WARNING, location, path, message));
  }

  /** How many errors there are by now: no more afterwards means that a part was read well. */
  public int errorCount() {
    return errors.size();
  }

  /** The errors, in the order of files and lines. */
  public List<Problem> errors() {
    return errors.stream().sorted(AS_READ).toList();
  }

  /** The warnings, in the order of files and lines. */
  public List<Problem> warnings() {
    return warnings.stream().sorted(AS_READ).toList();
  }

  /**
   * Ends the reading of a file that can't be used.
   *
   * @throws PolicyException if there are errors
   */
  public void throwIfErrors() {
    if (!errors.isEmpty()) {
      throw new PolicyException(errors(), warnings());
    }
  }
}
