package io.penstock.server.proxy;

import io.penstock.policy.Verdict;
import io.penstock.server.http.UnhandledRequests;
import io.penstock.server.log.AccessEntry;
import io.penstock.server.log.AccessEntry.AbortedBy;
import io.penstock.server.log.AccessLog;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A response that is logged in the access log when its last byte has been written to the
 * connection, or when it can't be completed any more. Confined to one event loop.
 */
final class LoggedResponse {
  private final AccessLog log;
  private final HttpServerRequest request;
  private final @Nullable Exchange exchange;
  private final Instant time = Instant.now();
  private final long startNanos = System.nanoTime();
  private long bytes;
  private boolean ending;
  private boolean isLogged;

  /**
   * @param exchange null if the request is not forwarded
   */
  LoggedResponse(AccessLog log, HttpServerRequest request, @Nullable Exchange exchange) {
    this.log = log;
    this.request = request;
    this.exchange = exchange;
  }

  /** Counts a part of the body once it is written. */
  void wrote(Future<Void> written, int length) {
    written.onSuccess(done -> bytes += length);
  }

  /** Ends the response. */
  Future<Void> end(Supplier<Future<Void>> end) {
    ending = true;
    try {
      return end.get().onComplete(written -> addToLog(written.succeeded()));
    } finally {
      ending = false;
    }
  }

  /**
   * Called when the response has ended, by {@link #end} or otherwise, or its connection is closed.
   */
  void finish() {
    if (!ending) {
      addToLog(request.response().ended());
    }
  }

  private void addToLog(boolean complete) {
    if (!isLogged) {
      isLogged = true;
      log.add(new AccessEntry(time, requestInfo(), responseInfo(complete), verdict()));
    }
  }

  private AccessEntry.RequestInfo requestInfo() {
    String address =
        exchange == null ? request.remoteAddress().hostAddress() : exchange.client().address();
    String forwardedId = exchange == null ? null : exchange.requestId();
    boolean unknown = UnhandledRequests.isLineUnknown(request);
    return new AccessEntry.RequestInfo(
        String.valueOf(address),
        unknown ? null : request.method().name(),
        unknown ? null : target(),
        unknown && request.version() != HttpVersion.HTTP_2 ? null : protocol(request.version()),
        host(),
        request.getHeader("Referer"),
        request.getHeader("User-Agent"),
        forwardedId == null ? request.getHeader("X-Request-Id") : forwardedId);
  }

  private AccessEntry.ResponseInfo responseInfo(boolean complete) {
    HttpServerResponse response = request.response();
    boolean started = complete || response.headWritten();
    return new AccessEntry.ResponseInfo(
        started ? response.getStatusCode() : AccessEntry.ResponseInfo.CLIENT_CLOSED_REQUEST,
        complete ? response.bytesWritten() : bytes,
        System.nanoTime() - startNanos,
        exchange == null ? 0 : exchange.upstreamStatus(),
        complete ? null : exchange == null ? AbortedBy.CLIENT : exchange.abortedBy());
  }

  private @Nullable Verdict verdict() {
    return exchange == null ? null : exchange.verdict();
  }

  /** Returns the host as the client sent it, because Vert.x can't parse every malformed one. */
  private @Nullable String host() {
    if (request.decoderResult().isFailure()) {
      return request.getHeader(HttpHeaders.HOST);
    }
    return request.authority() == null ? null : request.authority().toString();
  }

  /** Returns the target of the request; for CONNECT, it is the authority. */
  private String target() {
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
