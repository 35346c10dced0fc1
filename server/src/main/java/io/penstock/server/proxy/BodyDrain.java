package io.penstock.server.proxy;

import io.penstock.server.http.Streams;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/** Discards the bodies of requests that were answered without reading them. */
final class BodyDrain {
  private static final long MAX_BYTES = 256 << 10;
  private static final long TIMEOUT_MILLIS = 2_000;

  private BodyDrain() {}

  /**
   * Reads and discards the rest of a body, so that the connection can be reused. If the body is too
   * long or too slow, the connection is closed instead. An HTTP/2 stream is reset once the client
   * has its response.
   *
   * @param responded completes when the whole response is written
   */
  static void discard(Vertx vertx, HttpServerRequest request, Future<Void> responded) {
    if (request.isEnded()) {
      return;
    }
    if (request.version() == HttpVersion.HTTP_2) {
      responded.onComplete(written -> Streams.stop(request));
      return;
    }
    if (!Exchange.announcesBody(request)) {
      request.resume();
      return;
    }
    long timer = vertx.setTimer(TIMEOUT_MILLIS, late -> request.connection().close());
    long[] bytes = {0};
    request.handler(
        part -> {
          bytes[0] += part.length();
          if (bytes[0] > MAX_BYTES) {
            vertx.cancelTimer(timer);
            request.connection().close();
          }
        });
    request.exceptionHandler(disconnected -> vertx.cancelTimer(timer));
    request.endHandler(done -> vertx.cancelTimer(timer));
    request.resume();
  }
}
