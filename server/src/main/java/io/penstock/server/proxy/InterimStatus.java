package io.penstock.server.proxy;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.MultiMap;

/**
 * Carries the status of an informational response through Vert.x, which only has a handler for 103.
 * Other responses are passed as 103, with their status in an internal header that is not forwarded.
 */
final class InterimStatus {
  /**
   * The max number of informational responses to one request. An origin that reports progress with
   * 102 every 20 seconds can do so for 20 minutes.
   */
  static final int MAX_RESPONSES = 64;

  private static final String NAME = "penstock-interim-status";

  private InterimStatus() {}

  /** Returns why a request has too many informational responses. */
  static String tooMany() {
    return "more than " + MAX_RESPONSES + " informational responses to one request";
  }

  static void hide(HttpResponse response) {
    response.headers().set(NAME, response.status().codeAsText());
    response.setStatus(HttpResponseStatus.EARLY_HINTS);
  }

  static void hide(Http2Headers headers) {
    headers.set(NAME, headers.status());
    headers.status(HttpResponseStatus.EARLY_HINTS.codeAsText());
  }

  /** Returns the status, and removes the internal header. */
  static int take(MultiMap headers) {
    String status = headers.get(NAME);
    headers.remove(NAME);
    return status == null ? HttpResponseStatus.EARLY_HINTS.code() : Integer.parseInt(status);
  }
}
