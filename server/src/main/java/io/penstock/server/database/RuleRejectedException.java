package io.penstock.server.database;

import io.penstock.policy.load.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** A change of rules can't be made. Says everything that is wrong with it. */
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
