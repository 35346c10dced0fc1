package io.penstock.spring;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problem;
import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says all that is wrong with a policy instead of showing a trace. */
final class PolicyFailureAnalyzer extends AbstractFailureAnalyzer<PolicyException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, PolicyException cause) {
    String problems =
        cause.problems().stream().map(Problem::toString).collect(Collectors.joining("\n"));
    return new FailureAnalysis(
        "The policy can't be used:\n\n" + problems,
        "Put right what is named above. penstock.policy says where the policy is.",
        cause);
  }
}
