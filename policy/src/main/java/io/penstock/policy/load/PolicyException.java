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

  /**
   * Creates the rejection of a policy because of an internal error. It has the class and the stack
   * trace of the error, without its message, which may quote secrets of the policy.
   */
  static PolicyException internalError(Location policy, Throwable error) {
    StackTraceElement[] trace = error.getStackTrace();
    String type = error.getClass().getName();
    String message =
        "cannot be loaded because of an internal error: "
            + type
            + (trace.length == 0 ? "" : " at " + trace[0]);
    PolicyException rejection =
        new PolicyException(List.of(new Problem(Problem.Severity.ERROR, policy, "", message)));
    Throwable cause = new IllegalStateException(type);
    cause.setStackTrace(trace);
    rejection.initCause(cause);
    return rejection;
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
