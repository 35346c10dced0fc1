package io.penstock.server.proxy;

import io.penstock.server.http.Streams;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/** Bodies that nobody wants, of requests that were answered without them. */
final class BodyDrain {
  private static final long MAX_BYTES = 256 << 10;
  private static final long MAX_MILLIS = 2_000;

  private BodyDrain() {}

  /**
   * Reads the rest of a body and keeps nothing of it, so that the connection can be used again; one
   * that is long or slow costs the connection instead. A stream of HTTP/2 is stopped, once the
   * client has its response.
   *
   * @param answered completes when the whole response is written
   */
  static void discard(Vertx vertx, HttpServerRequest request, Future<Void> answered) {
    if (request.isEnded()) {
      return;
    }
    if (request.version() == HttpVersion.HTTP_2) {
      answered.onComplete(written -> Streams.stop(request));
      return;
    }
    long timer = vertx.setTimer(MAX_MILLIS, late -> request.connection().close());
    long[] bytes = {0};
    request.handler(
        part -> {
          bytes[0] += part.length();
          if (bytes[0] > MAX_BYTES) {
            vertx.cancelTimer(timer);
            request.connection().close();
          }
        });
    request.exceptionHandler(gone -> vertx.cancelTimer(timer));
    request.endHandler(done -> vertx.cancelTimer(timer));
    request.resume();
  }
}
