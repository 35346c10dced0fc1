package io.penstock.server.proxy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/** Bodies that nobody wants, of requests that were answered without them. */
final class Leftovers {
  private static final long MOST_BYTES = 256 << 10;
  private static final long MOST_MILLIS = 2_000;

  private Leftovers() {}

  /**
   * Reads the rest of a body and keeps nothing of it, so that the connection can be used again; one
   * that is long or slow costs the connection instead.
   */
  static void discard(Vertx vertx, HttpServerRequest request) {
    if (request.isEnded()) {
      return;
    }
    long timer = vertx.setTimer(MOST_MILLIS, late -> request.connection().close());
    long[] bytes = {0};
    request.handler(
        part -> {
          bytes[0] += part.length();
          if (bytes[0] > MOST_BYTES) {
            vertx.cancelTimer(timer);
            request.connection().close();
          }
        });
    request.exceptionHandler(gone -> vertx.cancelTimer(timer));
    request.endHandler(done -> vertx.cancelTimer(timer));
    request.resume();
  }
}
