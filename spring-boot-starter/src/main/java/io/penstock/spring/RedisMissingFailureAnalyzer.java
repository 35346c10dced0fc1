package io.penstock.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a missing Redis store at startup with what to do, instead of a stack trace. */
final class RedisMissingFailureAnalyzer extends AbstractFailureAnalyzer<RedisMissingException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, RedisMissingException cause) {
    return new FailureAnalysis(cause.description(), cause.action(), cause);
  }
}
