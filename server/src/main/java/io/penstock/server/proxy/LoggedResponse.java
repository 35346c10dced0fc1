package io.penstock.server.proxy;

import io.penstock.policy.Verdict;
import io.penstock.server.log.AccessEntry;
import io.penstock.server.log.AccessEntry.AbortedBy;
import io.penstock.server.log.AccessLog;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A response of which the access log gets a line: when its last byte has been written to the
 * connection, or when nothing more can be. Belongs to one event loop.
 */
final class LoggedResponse {
  private final AccessLog log;
  private final HttpServerRequest request;
  private final @Nullable Exchange exchange;
  private final Instant time = Instant.now();
  private final long begin = System.nanoTime();
  private long bytes;
  private boolean ending;
  private boolean noted;

  /**
   * @param exchange null if the request goes nowhere
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
      return end.get().onComplete(written -> note(written.succeeded()));
    } finally {
      ending = false;
    }
  }

  /** The response has ended, in {@link #end} or otherwise, or its connection is closed. */
  void over() {
    if (!ending) {
      note(request.response().ended());
    }
  }

  private void note(boolean complete) {
    if (!noted) {
      noted = true;
      log.add(new AccessEntry(time, asked(), answered(complete), verdict()));
    }
  }

  private AccessEntry.RequestInfo asked() {
    String address =
        exchange == null ? request.remoteAddress().hostAddress() : exchange.client().address();
    String forwardedId = exchange == null ? null : exchange.requestId();
    return new AccessEntry.RequestInfo(
        String.valueOf(address),
        request.method().name(),
        target(),
        protocol(request.version()),
        request.authority() == null ? null : request.authority().toString(),
        request.getHeader("Referer"),
        request.getHeader("User-Agent"),
        forwardedId == null ? request.getHeader("X-Request-Id") : forwardedId);
  }

  private AccessEntry.ResponseInfo answered(boolean complete) {
    HttpServerResponse response = request.response();
    boolean begun = complete || response.headWritten();
    return new AccessEntry.ResponseInfo(
        begun ? response.getStatusCode() : AccessEntry.ResponseInfo.CLIENT_CLOSED_REQUEST,
        complete ? response.bytesWritten() : bytes,
        System.nanoTime() - begin,
        exchange == null ? 0 : exchange.upstreamStatus(),
        complete ? null : exchange == null ? AbortedBy.CLIENT : exchange.abortedBy());
  }

  private @Nullable Verdict verdict() {
    return exchange == null ? null : exchange.verdict();
  }

  /** What the request is for: an address of its own in the case of CONNECT. */
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
