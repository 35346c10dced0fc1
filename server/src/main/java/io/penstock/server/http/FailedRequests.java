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
 * The catch-all handler of a listener: a request whose handler throws gets 500, and the failure is
 * counted and logged at most once a minute. Thread-safe.
 *
 * <p>Vert.x runs each request in its own context, including its timers, futures and body. The
 * context stores the request, so that an uncaught exception, however late, can be matched to its
 * request.
 */
public final class FailedRequests {
  private static final Logger LOG = LoggerFactory.getLogger(FailedRequests.class);

  /** The detail of the response to a failed request. */
  static final String DETAIL = "The request failed because of an internal error";

  private static final ContextLocal<HttpServerRequest> CURRENT =
      ContextLocal.registerLocal(HttpServerRequest.class);

  private static final ContextLocal<RequestWork> WORK =
      ContextLocal.registerLocal(RequestWork.class);

  /** For requests that reach no listener; the service has none. */
  private static final FailedRequests NO_LISTENER = new FailedRequests("unknown");

  private final String listener;
  private final LongAdder count = new LongAdder();
  private final RepeatedWarning warning = new RepeatedWarning(LOG);

  /** The work on a request, with its resources. */
  public interface RequestWork {
    /**
     * Ends the work after an uncaught exception; called on the event loop of the request. Returns
     * whether a response was sent; if not, the request gets 500.
     */
    boolean endAfter(Throwable failure);
  }

  /**
   * @param listener the name of the listener in the log
   */
  public FailedRequests(String listener) {
    this.listener = listener;
  }

  /**
   * Registers the context locals; must be called before a {@link Vertx} is created, because
   * contexts have a fixed number of them.
   */
  static void register() {
    // Loading the class registers them.
  }

  /** Returns the number of failed requests. */
  public long count() {
    return count.sum();
  }

  /** Handles the failures of requests that run in duplicates of a context. */
  void attach(Context context) {
    context.exceptionHandler(this::uncaught);
    context.put(FailedRequests.class, this);
  }

  /**
   * Counts and logs a failure whose request gets 500 by its handler, unless it has got a response.
   * Must be called in the context of the request.
   */
  public static void recordUnanswered(Throwable failure) {
    Context context = Vertx.currentContext();
    HttpServerRequest request = context == null ? null : CURRENT.get(context);
    if (request == null || !request.response().ended()) {
      of(context).record(failure);
    }
  }

  private static FailedRequests of(@Nullable Context context) {
    FailedRequests failures = context == null ? null : context.get(FailedRequests.class);
    return failures == null ? NO_LISTENER : failures;
  }

  /** Wraps a handler so that contexts store their requests. */
  Handler<HttpServerRequest> tracked(Handler<HttpServerRequest> handler) {
    return request -> {
      Context context = Vertx.currentContext();
      if (context != null) {
        CURRENT.put(context, request);
      }
      handler.handle(request);
    };
  }

  /**
   * Ends the work if an exception escapes from the current context, which must be that of the
   * request.
   */
  public static void endOnFailure(RequestWork work) {
    Context context = Vertx.currentContext();
    if (context != null) {
      WORK.put(context, work);
    }
  }

  /** Handles an uncaught exception; must be called in the context in which it was thrown. */
  private void uncaught(Throwable failure) {
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
    } catch (RuntimeException suppressed) {
      failure.addSuppressed(suppressed);
      return false;
    }
  }

  /**
   * Responds to a request that failed, on its event loop.
   *
   * @param request null if unknown
   */
  public void failed(@Nullable HttpServerRequest request, Throwable failure) {
    record(failure);
    if (request != null) {
      respond(request);
    }
  }

  /** Counts and logs a failure without sending a response. */
  void record(Throwable failure) {
    count.increment();
    if (failure instanceof OutOfMemoryError) {
      // The log passes each one to a callback that ends the process, so none is suppressed.
      LOG.error("Cannot handle a request to the {} listener", listener, failure);
      return;
    }
    // The message of an exception may quote the request, which must not be logged.
    warning.warn(
        "Cannot handle a request to the "
            + listener
            + " listener ("
            + RepeatedWarning.originOf(failure)
            + "); it gets 500. Log level debug shows each failure with its stack trace");
    LOG.debug("Cannot handle a request to the {} listener", listener, failure);
  }

  private static void respond(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) {
      Streams.abort(request);
      return;
    }
    response.headers().clear();
    if (request.version() == HttpVersion.HTTP_2) {
      ProblemResponses.end(response, 500, "Internal Server Error", DETAIL)
          .onComplete(written -> Streams.stop(request));
    } else {
      ClosingResponse.end(request, 500, "Internal Server Error", DETAIL);
    }
  }
}
