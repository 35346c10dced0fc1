package io.penstock.server.http;

import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.spi.context.storage.ContextLocal;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catch-all beneath a listener: a request whose handling throws is answered 500, counted, and
 * logged at most once a minute. Thread-safe.
 *
 * <p>Vert.x runs each request in a context of its own, and so everything that follows from it:
 * timers, futures, parts of the body. The context knows the request, so an exception that nobody
 * catches, however late, finds the one that it leaves without an answer.
 */
public final class FailedRequests {
  private static final Logger LOG = LoggerFactory.getLogger(FailedRequests.class);
  private static final RepeatedWarning WARNING = new RepeatedWarning(LOG);

  private static final ContextLocal<HttpServerRequest> CURRENT =
      ContextLocal.registerLocal(HttpServerRequest.class);

  private static final ContextLocal<RequestWork> WORK =
      ContextLocal.registerLocal(RequestWork.class);

  private final String listener;
  private final LongAdder count = new LongAdder();

  /** What is being done for a request, and what it holds meanwhile. */
  public interface RequestWork {
    /**
     * Ends it because of an exception that nobody caught; called on the event loop of the request.
     * Returns whether the request is answered; if not, it is answered 500.
     */
    boolean endAfter(Throwable failure);
  }

  /**
   * @param listener the name of the listener in the log
   */
  public FailedRequests(String listener) {
    this.listener = listener;
  }

  /** To be called before a {@link Vertx} is made: its contexts have room for what is known then. */
  static void register() {
    // Loading the class is all that it takes.
  }

  /** How many requests have failed. */
  public long count() {
    return count.sum();
  }

  /** The same handler, whose requests are known to their contexts. */
  Handler<HttpServerRequest> known(Handler<HttpServerRequest> handler) {
    return request -> {
      Context context = Vertx.currentContext();
      if (context != null) {
        CURRENT.put(context, request);
      }
      handler.handle(request);
    };
  }

  /** Has work ended if an exception escapes from the current context, that of its request. */
  public static void endOnFailure(RequestWork work) {
    Context context = Vertx.currentContext();
    if (context != null) {
      WORK.put(context, work);
    }
  }

  /** Takes an exception that nobody caught; to be called in the context in which it was thrown. */
  void uncaught(Throwable failure) {
    Context context = Vertx.currentContext();
    if (context == null) {
      failed(null, failure);
    } else if (!endWork(WORK.get(context), failure)) {
      failed(CURRENT.get(context), failure);
    }
  }

  private static boolean endWork(@Nullable RequestWork work, Throwable failure) {
    try {
      return work != null && work.endAfter(failure);
    } catch (RuntimeException another) {
      failure.addSuppressed(another);
      return false;
    }
  }

  /**
   * Answers a request that can't be handled, on its event loop.
   *
   * @param request null if it is not known which
   */
  public void failed(@Nullable HttpServerRequest request, Throwable failure) {
    note(failure);
    if (request != null) {
      answer(request);
    }
  }

  /** Counts and logs a failure that is answered elsewhere. */
  void note(Throwable failure) {
    count.increment();
    if (failure instanceof OutOfMemoryError) {
      // Whoever watches the log for it has to see it.
      LOG.error("Cannot handle a request to the {} listener", listener, failure);
      return;
    }
    // The message of an exception may quote the request, of which nothing belongs in the log.
    WARNING.warn(
        "Cannot handle a request to the "
            + listener
            + " listener ("
            + failure.getClass().getName()
            + place(failure)
            + "); it is answered 500. Log level debug shows each with its stack trace");
    LOG.debug("Cannot handle a request to the {} listener", listener, failure);
  }

  private static String place(Throwable failure) {
    StackTraceElement[] trace = failure.getStackTrace();
    return trace.length == 0 ? "" : " at " + trace[0];
  }

  private static void answer(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) {
      Streams.breakOff(response);
      return;
    }
    response.headers().clear();
    if (request.version() == HttpVersion.HTTP_2) {
      ProblemResponses.end(
              response, 500, "Internal Server Error", "The request could not be handled")
          .onComplete(written -> Streams.stop(request));
    } else {
      ClosingResponse.end(
          request, 500, "Internal Server Error", "The request could not be handled");
    }
  }
}
