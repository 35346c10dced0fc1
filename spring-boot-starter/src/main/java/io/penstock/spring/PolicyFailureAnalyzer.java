package io.penstock.spring;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.ProblemPrinter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.Resource;

/**
 * Reports all errors of an invalid policy at startup with their source lines, instead of a stack
 * trace.
 */
final class PolicyFailureAnalyzer extends AbstractFailureAnalyzer<PolicyException> {
  private final @Nullable Environment environment;

  /**
   * @param environment null if the application failed before there was one
   */
  PolicyFailureAnalyzer(@Nullable Environment environment) {
    this.environment = environment;
  }

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, PolicyException cause) {
    List<String> lines = new ArrayList<>();
    ProblemPrinter printer = new ProblemPrinter(lines::add, false);
    addClassPathResource(printer);
    printer.print(cause.problems());
    return new FailureAnalysis(
        "The policy is invalid:\n\n" + String.join("\n", lines),
        "Fix the errors above. The property penstock.policy is the location of the policy.",
        cause);
  }

  /** Problems of a policy on the class path have the name of the resource. */
  private void addClassPathResource(ProblemPrinter printer) {
    if (environment == null) {
      return;
    }
    String location = environment.getProperty("penstock.policy", PenstockProperties.DEFAULT_POLICY);
    Resource source = new DefaultResourceLoader().getResource(location);
    String name = source.getFilename();
    String text = location.startsWith("classpath:") ? text(source) : null;
    if (name != null && text != null) {
      printer.source(name, text);
    }
  }

  private static @Nullable String text(Resource source) {
    try {
      return source.getContentAsString(StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      // The problems are printed without their lines.
      return null;
    }
  }
}
