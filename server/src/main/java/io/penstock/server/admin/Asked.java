package io.penstock.server.admin;

import io.penstock.server.database.ConflictException;
import io.penstock.server.database.DatabaseAwayException;
import io.penstock.server.database.OpenDatabase;
import io.penstock.server.database.RefusedException;
import io.penstock.server.http.Refusals;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.LoggerFactory;

/** Asks the database off the event loops, and answers when it has. Thread-safe. */
final class Asked {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(Asked.class));

  private final Vertx vertx;
  private final Optional<OpenDatabase> database;

  Asked(Vertx vertx, Optional<OpenDatabase> database) {
    this.vertx = vertx;
    this.database = database;
  }

  /** Hands on what {@code question} comes to; 503 if the database is away. */
  <T> void answer(HttpServerRequest request, Function<OpenDatabase, T> question, Consumer<T> then) {
    OpenDatabase open = database.orElse(null);
    if (open == null) {
      Refusals.end(
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
    if (failure instanceof RefusedException refused) {
      Refusals.badDocument(response, refused.problems());
    } else if (failure instanceof ConflictException) {
      Refusals.end(response, 409, "Conflict", String.valueOf(failure.getMessage()));
    } else if (failure instanceof DatabaseAwayException) {
      WARNING.warn("the database can't be asked: " + failure.getMessage());
      Refusals.end(response, 503, "Service Unavailable", "The database can't be asked now");
    } else {
      WARNING.warn("a question to the database failed", failure);
      Refusals.end(response, 503, "Service Unavailable", "The database could not answer");
    }
  }
}
