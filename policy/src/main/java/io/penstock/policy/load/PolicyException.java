package io.penstock.policy.load;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A policy, or a file about one, can't be used. Says everything that is wrong with it, a line each.
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

  /** The errors, in the order of files and lines. */
  public List<Problem> problems() {
    return problems;
  }

  /** What is doubtful besides, as far as it was read; in the order of files and lines. */
  public List<Problem> warnings() {
    return warnings;
  }
}
