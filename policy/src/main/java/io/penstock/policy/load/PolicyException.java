package io.penstock.policy.load;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown when a policy, or a file about one, can't be used. The message lists all errors, one per
 * line.
 */
public final class PolicyException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<Problem> problems;
  private final transient List<Problem> warnings;

  public PolicyException(List<Problem> problems) {
    this(problems, List.of());
  }

  PolicyException(List<Problem> problems, List<Problem> warnings) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
    this.warnings = List.copyOf(warnings);
  }

  /** Returns the errors, ordered by file and line. */
  public List<Problem> problems() {
    return problems;
  }

  /** Returns the warnings for the parts that could be read, ordered by file and line. */
  public List<Problem> warnings() {
    return warnings;
  }
}
