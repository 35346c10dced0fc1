package io.penstock.server.database;

import io.penstock.policy.load.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** Thrown if a change of rules is invalid. Contains all errors. */
public final class RuleRejectedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<Problem> problems;

  RuleRejectedException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  public List<Problem> problems() {
    return problems;
  }
}
