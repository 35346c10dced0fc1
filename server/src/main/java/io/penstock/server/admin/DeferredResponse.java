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

/** Responds when a call of the store completes. */
final class DeferredResponse {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(DeferredResponse.class));

  private DeferredResponse() {}

  /** Responds on the event loop of the caller; with 503 if the call fails. */
  static <T> void respond(HttpServerRequest request, CompletionStage<T> call, Consumer<T> then) {
    Context context = Objects.requireNonNull(Vertx.currentContext());
    var unused =
        call.whenComplete(
            (result, failure) ->
                context.runOnContext(
                    back -> {
                      if (failure == null) {
                        then.accept(result);
                      } else {
                        WARNING.warn("store call failed; the request gets 503", failure);
                        ProblemResponses.end(
                            request.response(),
                            503,
                            "Service Unavailable",
                            "The store call failed");
                      }
                    }));
  }
}
