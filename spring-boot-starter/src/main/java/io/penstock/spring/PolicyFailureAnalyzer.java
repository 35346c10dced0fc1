package io.penstock.spring;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problem;
import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports all errors of an invalid policy at startup, instead of a stack trace. */
final class PolicyFailureAnalyzer extends AbstractFailureAnalyzer<PolicyException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, PolicyException cause) {
    String problems =
        cause.problems().stream().map(Problem::toString).collect(Collectors.joining("\n"));
    return new FailureAnalysis(
        "The policy is invalid:\n\n" + problems,
        "Fix the errors above. The property penstock.policy is the location of the policy.",
        cause);
  }
}
