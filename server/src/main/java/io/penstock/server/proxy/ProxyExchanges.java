package io.penstock.server.proxy;

import io.penstock.server.log.AccessLog;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All requests that are on their way through. Thread-safe. */
final class ProxyExchanges {
  private final @Nullable AccessLog log;
  private final LongAdder underWay = new LongAdder();

  /**
   * @param log told of each when it is over; null for no log
   */
  ProxyExchanges(@Nullable AccessLog log) {
    this.log = log;
  }

  long underWay() {
    return underWay.sum();
  }

  /** A request has come. It is over with its response, or when the client leaves. */
  void begin(Exchange exchange) {
    HttpServerRequest request = exchange.request();
    boolean closes = closes(request);
    HttpServerResponse response = request.response();
    if (closes) {
      response.putHeader("Connection", "close");
    }
    underWay.increment();
    LoggedResponse logged = log == null ? null : new LoggedResponse(log, request, exchange);
    if (logged != null) {
      exchange.log(logged);
    }
    exchange.whenOver(
        () -> {
          underWay.decrement();
          if (logged != null) {
            logged.over();
          }
          if (closes) {
            request.connection().close();
          }
        });
    response.endHandler(end -> exchange.over());
  }

  /** Ends the response to a request that goes nowhere. */
  Future<Void> endRefused(HttpServerRequest request, Supplier<Future<Void>> end) {
    if (log == null) {
      return end.get();
    }
    LoggedResponse logged = new LoggedResponse(log, request, null);
    request.response().endHandler(ended -> logged.over());
    return logged.end(end);
  }

  /** Whether the client closes after this, said among other things: Vert.x sees it alone only. */
  private static boolean closes(HttpServerRequest request) {
    String connection = request.getHeader(HttpHeaders.CONNECTION);
    return connection != null
        && connection.indexOf(',') >= 0
        && ListHeader.has(request.headers(), HttpHeaders.CONNECTION, "close");
  }
}
