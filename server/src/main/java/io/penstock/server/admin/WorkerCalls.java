package io.penstock.server.admin;

import io.penstock.server.http.ProblemResponses;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Runs expensive calls on worker threads, one at a time, and responds on the event loop. Every
 * request gets a response, whatever fails. Thread-safe.
 */
final class WorkerCalls {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(WorkerCalls.class));

  private final Vertx vertx;
  private final Object oneAtATime = new Object();

  WorkerCalls(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Passes the result of a call to {@code then}. If the client has left before the call starts, the
   * call is skipped.
   *
   * @param problem returns what is wrong with the request that a call failed for; null if the
   *     failure is not the fault of the request, which then gets 500
   * @param ended runs once, after the call, whatever its result
   */
  <T> void respond(
      HttpServerRequest request,
      Callable<T> call,
      Consumer<T> then,
      Function<Throwable, @Nullable String> problem,
      Runnable ended) {
    AtomicBoolean hasLeft = new AtomicBoolean();
    vertx
        .executeBlocking(
            () -> {
              synchronized (oneAtATime) {
                if (request.response().closed()) {
                  hasLeft.set(true);
                  throw new ClientLeftException();
                }
                return call.call();
              }
            },
            false)
        .onComplete(
            done -> {
              ended.run();
              if (hasLeft.get()) {
                return;
              }
              if (done.failed()) {
                respondFailure(request, done.cause(), problem.apply(done.cause()));
                return;
              }
              try {
                then.accept(done.result());
              } catch (RuntimeException failure) {
                respondFailure(request, failure, null);
              }
            });
  }

  private static void respondFailure(
      HttpServerRequest request, Throwable failure, @Nullable String problem) {
    if (problem != null) {
      ProblemResponses.end(request.response(), 400, "Bad Request", problem);
      return;
    }
    // The message of an exception may quote the request, which must not be logged.
    WARNING.warn(
        "Cannot handle a request for "
            + request.path()
            + " ("
            + failure.getClass().getName()
            + "); it gets 500");
    ProblemResponses.end(
        request.response(),
        500,
        "Internal Server Error",
        "The request failed because of an internal error");
    if (failure instanceof Error error) {
      // The listener logs it, which ends the process if memory has run out.
      throw error;
    }
  }

  private static final class ClientLeftException extends Exception {
    private static final long serialVersionUID = 1;

    ClientLeftException() {
      super("the client has left", null, false, false);
    }
  }
}
