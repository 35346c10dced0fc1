package io.penstock.server.proxy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/** A request's own way to the origin, up to the end of its body. Belongs to one event loop. */
final class RequestUpload {
  /** Many origins read a body without asking for it. After this time the client is asked. */
  private static final long MAX_MILLIS_UNUSED = 1_000;

  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final HttpServerRequest from;
  private final HttpClientRequest to;
  private boolean begun;
  private boolean streams;
  private boolean whole;
  private boolean stopped;
  private long timer = NO_TIMER;

  RequestUpload(Vertx vertx, HttpServerRequest from, HttpClientRequest to) {
    this.vertx = vertx;
    this.from = from;
    this.to = to;
  }

  /** Sends a request that has no body. */
  void head() {
    begun = true;
    whole = true;
    from.resume();
    to.end();
  }

  /** Sends a head after which the connection may go over to another protocol. */
  Future<HttpClientResponse> upgrade() {
    begun = true;
    return to.connect();
  }

  /** Sends a request with its body. */
  void all() {
    begun = true;
    frame();
    stream();
  }

  /** Sends a head, and the body when the origin has asked for it or says nothing. */
  void allWhenAsked() {
    begun = true;
    frame();
    to.continueHandler(asked -> ask());
    timer = vertx.setTimer(MAX_MILLIS_UNUSED, silent -> ask());
    to.sendHead();
  }

  private void ask() {
    if (!streams && !stopped) {
      stopWaiting();
      from.response().writeContinue();
      stream();
    }
  }

  /** A body of unknown length is sent in chunks, or in the frames that HTTP/2 has for all. */
  private void frame() {
    if (!to.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      to.setChunked(true);
    }
  }

  private void stream() {
    streams = true;
    // Left to itself, a pipe ends what it writes to even if what it reads from broke off. A client
    // that left, or a body that was cut off, must not look whole to the origin.
    from.pipe()
        .endOnComplete(false)
        .to(to)
        .onComplete(
            all -> {
              if (!stopped) {
                whole = true;
                to.end();
              }
            },
            broken -> stop());
  }

  /** The origin's answer has ended. */
  void answeredWhole() {
    if (!whole) {
      stop();
    }
  }

  /**
   * Sends no more. A connection of HTTP/1 is closed if it has a request only in part: Vert.x would
   * keep it for the next one when the answer was whole, and the origin would take that one for what
   * is missing here.
   */
  void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    stopWaiting();
    if (begun && !whole && to.version() != HttpVersion.HTTP_2) {
      to.connection().close();
    } else {
      to.reset();
    }
  }

  /** A client that waits to be asked is not asked any more. */
  void stopWaiting() {
    if (timer != NO_TIMER) {
      vertx.cancelTimer(timer);
      timer = NO_TIMER;
    }
  }
}
