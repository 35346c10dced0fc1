package io.penstock.server.decision;

import io.penstock.server.http.ProblemResponses;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.http.HttpServerResponse;
import org.slf4j.LoggerFactory;

/** Answers questions that could not be decided although nothing is wrong with them. */
final class UndecidedResponses {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(UndecidedResponses.class));

  private UndecidedResponses() {}

  static void answer(HttpServerResponse response, Throwable failure) {
    WARNING.warn("a question could not be decided", failure);
    ProblemResponses.end(
        response, 500, "Internal Server Error", "The question could not be decided");
  }
}
