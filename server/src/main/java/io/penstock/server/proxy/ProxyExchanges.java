package io.penstock.server.proxy;

import io.penstock.server.http.UnhandledRequests;
import io.penstock.server.log.AccessEntry;
import io.penstock.server.log.AccessLog;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All requests in flight through the proxy, and the access log of all requests. Thread-safe. */
final class ProxyExchanges implements UnhandledRequests {
  private final @Nullable AccessLog log;
  private final LongAdder inFlight = new LongAdder();

  /**
   * @param log receives each request when it is finished; null for no log
   */
  ProxyExchanges(@Nullable AccessLog log) {
    this.log = log;
  }

  long inFlight() {
    return inFlight.sum();
  }

  /** Logs the response to a request even if its handler throws before an exchange starts. */
  void received(HttpServerRequest request) {
    if (log != null) {
      var unused = logged(log, request);
    }
  }

  /** Starts an exchange. It ends with its response, or when the client disconnects. */
  void start(Exchange exchange) {
    HttpServerRequest request = exchange.request();
    boolean closes = closes(request);
    HttpServerResponse response = request.response();
    if (closes) {
      response.putHeader("Connection", "close");
    }
    inFlight.increment();
    LoggedResponse logged = log == null ? null : new LoggedResponse(log, request, exchange);
    if (logged != null) {
      exchange.log(logged);
    }
    exchange.onEnd(
        () -> {
          inFlight.decrement();
          if (logged != null) {
            logged.finish();
          }
          if (closes) {
            request.connection().close();
          }
        });
    response.endHandler(end -> exchange.finish());
  }

  /** Ends the response to a request that is not forwarded. */
  @Override
  public Future<Void> end(HttpServerRequest request, Supplier<Future<Void>> end) {
    return log == null ? end.get() : logged(log, request).end(end);
  }

  private static LoggedResponse logged(AccessLog log, HttpServerRequest request) {
    LoggedResponse logged = new LoggedResponse(log, request, null);
    request.response().endHandler(ended -> logged.finish());
    return logged;
  }

  @Override
  public void responded(UnreadRequest unread) {
    if (log != null) {
      log.add(
          new AccessEntry(
              Instant.now(),
              new AccessEntry.RequestInfo(
                  unread.peer(), null, null, unread.protocol(), null, null, null, null),
              new AccessEntry.ResponseInfo(unread.status(), unread.bytes(), 0, 0, null),
              null));
    }
  }

  /**
   * Returns whether Connection lists {@code close} among other options; Vert.x only detects it
   * alone.
   */
  private static boolean closes(HttpServerRequest request) {
    String connection = request.getHeader(HttpHeaders.CONNECTION);
    return connection != null
        && connection.indexOf(',') >= 0
        && ListHeader.has(request.headers(), HttpHeaders.CONNECTION, "close");
  }
}
