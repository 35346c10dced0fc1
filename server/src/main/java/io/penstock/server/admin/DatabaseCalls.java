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

/** Asks the database off the event loops, and answers when it has. Thread-safe. */
final class DatabaseCalls {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(DatabaseCalls.class));

  private final Vertx vertx;
  private final Optional<DatabaseServices> database;

  DatabaseCalls(Vertx vertx, Optional<DatabaseServices> database) {
    this.vertx = vertx;
    this.database = database;
  }

  /** Hands on what {@code question} comes to; 503 if the database is away. */
  <T> void answer(
      HttpServerRequest request, Function<DatabaseServices, T> question, Consumer<T> then) {
    DatabaseServices open = database.orElse(null);
    if (open == null) {
      ProblemResponses.end(
          request.response(),
          404,
          "Not Found",
          "There is no database; one is named by the setting postgres");
      return;
    }
    vertx
        .executeBlocking(() -> question.apply(open), false)
        .onComplete(then::accept, failure -> refuse(request.response(), failure));
  }

  private static void refuse(HttpServerResponse response, Throwable failure) {
    if (failure instanceof RuleRejectedException refused) {
      ProblemResponses.badDocument(response, refused.problems());
    } else if (failure instanceof ConflictException) {
      ProblemResponses.end(response, 409, "Conflict", String.valueOf(failure.getMessage()));
    } else if (failure instanceof DatabaseUnavailableException) {
      WARNING.warn("the database can't be asked: " + failure.getMessage());
      ProblemResponses.end(response, 503, "Service Unavailable", "The database can't be asked now");
    } else {
      WARNING.warn("a question to the database failed", failure);
      ProblemResponses.end(response, 503, "Service Unavailable", "The database could not answer");
    }
  }
}
