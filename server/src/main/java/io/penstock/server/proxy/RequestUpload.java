package io.penstock.server.proxy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/** Sends a request to the origin, up to the end of its body. Confined to one event loop. */
final class RequestUpload {
  /**
   * How long the origin may take to send 100 (Continue). Many origins read the body without sending
   * it, so the body is requested from the client after this time.
   */
  private static final long CONTINUE_TIMEOUT_MILLIS = 1_000;

  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final HttpServerRequest from;
  private final HttpClientRequest to;
  private final InFlightRequests.RequestTimeout timeout;
  private boolean started;
  private boolean headSent;
  private boolean streaming;
  private boolean bodyRead;
  private boolean complete;
  private boolean stopped;
  private long timer = NO_TIMER;

  RequestUpload(
      Vertx vertx,
      HttpServerRequest from,
      HttpClientRequest to,
      InFlightRequests.RequestTimeout timeout) {
    this.vertx = vertx;
    this.from = from;
    this.to = to;
    this.timeout = timeout;
  }

  /** Sends a request that has no body. */
  void head() {
    started = true;
    complete = true;
    if (!from.isEnded()) {
      from.resume();
    }
    to.end();
  }

  /** Sends a head after which the connection may switch to another protocol. */
  Future<HttpClientResponse> upgrade() {
    started = true;
    return to.connect();
  }

  /** Sends a request with its body. */
  void all() {
    started = true;
    frame();
    stream();
    // Parts of the body that have already arrived are sent together with the head. If there are
    // none, the head must not wait for them: the client may wait for the response first.
    vertx.runOnContext(turn -> sendHead());
  }

  private void sendHead() {
    if (!headSent && !complete && !stopped) {
      headSent = true;
      to.sendHead();
    }
  }

  /** Sends a head, and the body when the origin requests it or the timeout expires. */
  void allAfterContinue() {
    started = true;
    frame();
    to.continueHandler(asked -> requestBody());
    timer = vertx.setTimer(CONTINUE_TIMEOUT_MILLIS, silent -> requestBody());
    sendHead();
  }

  private void requestBody() {
    if (!streaming && !stopped) {
      stopWaiting();
      from.response().writeContinue();
      stream();
    }
  }

  /** A body of unknown length is sent in chunks, or in HTTP/2 frames. */
  private void frame() {
    if (!to.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      to.setChunked(true);
    }
  }

  private void stream() {
    streaming = true;
    awaitClient(true);
    from.handler(this::send);
    from.endHandler(all -> finish());
    // A body that was cut off must not look complete to the origin.
    from.exceptionHandler(disconnected -> stop());
    from.resume();
  }

  private void send(Buffer part) {
    if (stopped) {
      return;
    }
    headSent = true;
    bodyRead = true;
    timeout.uploaded(part.length());
    to.write(part).onFailure(aborted -> stop());
    if (to.writeQueueFull()) {
      from.pause();
      awaitClient(false);
      to.drainHandler(
          drained -> {
            timeout.uploaded(0);
            awaitClient(true);
            from.resume();
          });
    }
  }

  private void finish() {
    bodyRead = true;
    if (!stopped) {
      complete = true;
      timeout.uploaded(0);
      awaitClient(false);
      to.end();
    }
  }

  /**
   * Sets whether the origin waits for the client's body. A slow client only matters if it occupies
   * a connection: on HTTP/2, many requests share one.
   */
  private void awaitClient(boolean waits) {
    if (to.version() != HttpVersion.HTTP_2) {
      timeout.awaitsRequest(waits);
    }
  }

  /** Returns whether another upload can send the same request: nothing of its body was read. */
  boolean isRepeatable() {
    return !bodyRead && !stopped;
  }

  /**
   * Pauses the request until another upload sends it. Vert.x does not allow pausing or resuming an
   * HTTP/2 request that has been read to its end.
   */
  void hold() {
    if (!from.isEnded()) {
      from.pause();
    }
  }

  /** Called when the origin's response has ended. */
  void onResponseEnd() {
    if (!complete) {
      stop();
    }
  }

  /**
   * Stops sending. If an HTTP/1 request was sent only in part, its connection is closed: Vert.x
   * would reuse it after a complete response, and the origin would read the next request as the
   * rest of this one.
   */
  void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    stopWaiting();
    if (started && !complete && to.version() != HttpVersion.HTTP_2) {
      to.connection().close();
    } else {
      to.reset();
    }
  }

  /** Stops waiting for the origin to request the body. */
  void stopWaiting() {
    if (timer != NO_TIMER) {
      vertx.cancelTimer(timer);
      timer = NO_TIMER;
    }
  }
}
