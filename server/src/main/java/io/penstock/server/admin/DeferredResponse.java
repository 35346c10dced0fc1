package io.penstock.server.admin;

import io.penstock.server.http.ProblemResponses;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** Answers that have to wait for the store. */
final class DeferredResponse {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(DeferredResponse.class));

  private DeferredResponse() {}

  /** Answers on the event loop that asked; 503 if the store can't. */
  static <T> void answer(HttpServerRequest request, CompletionStage<T> asked, Consumer<T> then) {
    Context asker = Objects.requireNonNull(Vertx.currentContext());
    var unused =
        asked.whenComplete(
            (result, failure) ->
                asker.runOnContext(
                    back -> {
                      if (failure == null) {
                        then.accept(result);
                      } else {
                        WARNING.warn("the store could not be asked", failure);
                        ProblemResponses.end(
                            request.response(),
                            503,
                            "Service Unavailable",
                            "The store could not be asked");
                      }
                    }));
  }
}
