package io.penstock.server.proxy;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.MultiMap;

/**
 * The status of an informational response on its way through Vert.x, which has a handler for 103
 * alone: all others pretend to be one, with their status in a header that goes no further.
 */
final class InterimStatus {
  private static final String NAME = "penstock-interim-status";

  private InterimStatus() {}

  static void hide(HttpResponse response) {
    response.headers().set(NAME, response.status().codeAsText());
    response.setStatus(HttpResponseStatus.EARLY_HINTS);
  }

  static void hide(Http2Headers headers) {
    headers.set(NAME, headers.status());
    headers.status(HttpResponseStatus.EARLY_HINTS.codeAsText());
  }

  /** The status, which is no longer among the headers then. */
  static int take(MultiMap headers) {
    String status = headers.get(NAME);
    headers.remove(NAME);
    return status == null ? HttpResponseStatus.EARLY_HINTS.code() : Integer.parseInt(status);
  }
}
