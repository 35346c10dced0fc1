package io.penstock.server.decision;

import io.penstock.server.http.ProblemResponses;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.http.HttpServerResponse;
import org.slf4j.LoggerFactory;

/** Responds to valid requests that could not be decided because of an internal error. */
final class UndecidedResponses {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(UndecidedResponses.class));

  private UndecidedResponses() {}

  static void respond(HttpServerResponse response, Throwable failure) {
    WARNING.warn("Cannot decide a request; it gets 500", failure);
    ProblemResponses.end(
        response, 500, "Internal Server Error", "The request could not be decided");
  }
}
