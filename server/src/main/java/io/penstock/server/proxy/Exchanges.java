package io.penstock.server.proxy;

import io.penstock.server.log.AccessEntry;
import io.penstock.server.log.AccessLog;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** All requests that are on their way through. Thread-safe. */
final class Exchanges {
  private final @Nullable AccessLog log;
  private final LongAdder underWay = new LongAdder();

  /**
   * @param log told of each when it is over; null for no log
   */
  Exchanges(@Nullable AccessLog log) {
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
    Runnable noting = noting(request, exchange);
    exchange.whenOver(
        () -> {
          underWay.decrement();
          noting.run();
          if (closes) {
            request.connection().close();
          }
        });
    response.endHandler(end -> exchange.over());
  }

  /** A request has come that goes nowhere. */
  void beginRefused(HttpServerRequest request) {
    if (log != null) {
      Runnable noting = noting(request, null);
      request.response().endHandler(end -> noting.run());
    }
  }

  /** Whether the client closes after this, said among other things: Vert.x sees it alone only. */
  private static boolean closes(HttpServerRequest request) {
    String connection = request.getHeader(HttpHeaders.CONNECTION);
    return connection != null
        && connection.indexOf(',') >= 0
        && ListHeader.has(request.headers(), HttpHeaders.CONNECTION, "close");
  }

  private Runnable noting(HttpServerRequest request, @Nullable Exchange exchange) {
    if (log == null) {
      return () -> {};
    }
    AccessLog told = log;
    Instant time = Instant.now();
    long begin = System.nanoTime();
    return () -> told.add(entry(request, exchange, time, System.nanoTime() - begin));
  }

  private static AccessEntry entry(
      HttpServerRequest request, @Nullable Exchange exchange, Instant time, long nanos) {
    HttpServerResponse response = request.response();
    String address =
        exchange == null ? request.remoteAddress().hostAddress() : exchange.client().address();
    return new AccessEntry(
        time,
        new AccessEntry.Asked(
            String.valueOf(address),
            request.method().name(),
            target(request),
            protocol(request.version()),
            request.authority() == null ? null : request.authority().toString(),
            request.getHeader("Referer"),
            request.getHeader("User-Agent"),
            request.getHeader("X-Request-Id")),
        new AccessEntry.Answered(
            response.getStatusCode(),
            response.bytesWritten(),
            nanos,
            exchange == null ? 0 : exchange.upstreamStatus()),
        exchange == null ? null : exchange.verdict());
  }

  /** What the request is for: an address of its own in the case of CONNECT. */
  private static String target(HttpServerRequest request) {
    String uri = request.uri();
    return uri == null ? String.valueOf(request.authority()) : uri;
  }

  private static String protocol(HttpVersion version) {
    return switch (version) {
      case HTTP_1_0 -> "HTTP/1.0";
      case HTTP_1_1 -> "HTTP/1.1";
      case HTTP_2 -> "HTTP/2.0";
    };
  }
}
