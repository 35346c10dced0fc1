package io.penstock.server.admin;

import io.penstock.server.database.ConflictException;
import io.penstock.server.database.DatabaseServices;
import io.penstock.server.database.DatabaseUnavailableException;
import io.penstock.server.database.RuleRejectedException;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.LoggerFactory;

/** Calls the database on worker threads and responds on the event loop. Thread-safe. */
final class DatabaseCalls {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(DatabaseCalls.class));

  private final Vertx vertx;
  private final Optional<DatabaseServices> database;

  DatabaseCalls(Vertx vertx, Optional<DatabaseServices> database) {
    this.vertx = vertx;
    this.database = database;
  }

  /**
   * Passes the result of a database call to {@code then}; responds with 503 if the database is
   * unavailable.
   */
  <T> void respond(
      HttpServerRequest request, Function<DatabaseServices, T> call, Consumer<T> then) {
    DatabaseServices open = database.orElse(null);
    if (open == null) {
      ProblemResponses.end(
          request.response(),
          404,
          "Not Found",
          "No database is configured; set postgres to use this endpoint");
      return;
    }
    vertx
        .executeBlocking(() -> call.apply(open), false)
        .onComplete(then::accept, failure -> respondFailure(request.response(), failure));
  }

  private static void respondFailure(HttpServerResponse response, Throwable failure) {
    if (failure instanceof RuleRejectedException rejected) {
      ProblemResponses.badDocument(response, rejected.problems());
    } else if (failure instanceof ConflictException) {
      ProblemResponses.end(response, 409, "Conflict", String.valueOf(failure.getMessage()));
    } else if (failure instanceof DatabaseUnavailableException) {
      WARNING.warn("the database is unavailable; the request gets 503: " + failure.getMessage());
      ProblemResponses.end(response, 503, "Service Unavailable", "The database is unavailable");
    } else {
      WARNING.warn("database call failed; the request gets 503", failure);
      ProblemResponses.end(response, 503, "Service Unavailable", "The database call failed");
    }
  }
}
