package io.penstock.server.decision;

import io.penstock.server.http.Refusals;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.http.HttpServerResponse;
import org.slf4j.LoggerFactory;

/** Answers questions that could not be decided although nothing is wrong with them. */
final class Failures {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(Failures.class));

  private Failures() {}

  static void answer(HttpServerResponse response, Throwable failure) {
    WARNING.warn("a question could not be decided", failure);
    Refusals.end(response, 500, "Internal Server Error", "The question could not be decided");
  }
}
