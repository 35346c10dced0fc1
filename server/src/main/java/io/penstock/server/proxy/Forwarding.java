package io.penstock.server.proxy;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.penstock.server.http.InterimResponses;
import io.penstock.server.http.Streams;
import io.penstock.server.log.AccessEntry.AbortedBy;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.NetSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards one request to the origin and its response to the client. Confined to one event loop.
 */
final class Forwarding implements InFlightRequests.TimedRequest {
  private static final Logger LOG = LoggerFactory.getLogger(Forwarding.class);
  private static final int SWITCHING_PROTOCOLS = 101;
  private static final int NOT_MODIFIED = 304;
  private static final long UNKNOWN = -1;

  private final Vertx vertx;
  private final Exchange exchange;
  private final HttpServerRequest clientRequest;
  private final HttpServerResponse clientResponse;
  private final Upstream upstream;
  private final AddedHeaders added;
  private final HttpClientRequest originRequest;
  private final RequestUpload upload;
  private final InFlightRequests.RequestTimeout timeout;
  private final ExchangeEvents events;
  private boolean mayHaveBody;
  private boolean ended;

  /** Completes when the last part of the response that was passed to Vert.x is written. */
  private Future<Void> written = Future.succeededFuture();

  /** The remaining bytes of a body with a known length, if the protocol has no trailers for it. */
  private long remainingBytes = UNKNOWN;

  /**
   * Whether no byte has arrived of a body that has some, by its length. On HTTP/2, Netty checks the
   * length of all other bodies.
   */
  private boolean lacksBody;

  /** Receives events of an exchange. */
  interface ExchangeEvents {
    /**
     * Called once, when the connection to the origin is no longer needed.
     *
     * @param timeoutKind the timeout that expired, if any
     */
    void left(InFlightRequests.@Nullable TimeoutKind timeoutKind);

    /** Called when the origin sends a body with a response that has none. */
    void surplus();

    /** Returns whether a request that was never sent may be sent on another connection. */
    boolean mayResend();

    /** Called when a request that was never sent is to be sent on another connection. */
    void resend();

    /** Called when the exchange fails, before the client gets 502. */
    void failed(Throwable failure);
  }

  Forwarding(
      Exchange exchange,
      Upstream upstream,
      AddedHeaders added,
      HttpClientRequest originRequest,
      InFlightRequests inFlight,
      ExchangeEvents events) {
    this.vertx = exchange.vertx();
    this.exchange = exchange;
    this.clientRequest = exchange.request();
    this.clientResponse = clientRequest.response();
    this.upstream = upstream;
    this.added = added;
    this.originRequest = originRequest;
    this.timeout = inFlight.enter(this);
    this.upload = new RequestUpload(vertx, clientRequest, originRequest, timeout);
    this.events = events;
  }

  /**
   * Sends the request. If it can't be represented in the origin's protocol, the client gets an
   * error.
   */
  void start() {
    try {
      send();
    } catch (RuntimeException invalid) {
      rejectInvalid(invalid);
    }
  }

  private void send() {
    // Without a handler, Vert.x logs an error for each failure. The response reports it anyway.
    originRequest.exceptionHandler(failure -> LOG.debug("request to the origin aborted", failure));
    if (clientResponse.closed()) {
      abandon();
      return;
    }
    exchange.writeHeaders(upstream, originRequest.headers());
    writeHost();
    clientResponse.closeHandler(disconnected -> abandon());
    clientResponse.exceptionHandler(this::abandon);
    if (clientRequest.decoderResult().isFailure()) {
      abandon(clientRequest.decoderResult().cause());
      return;
    }
    if (exchange.isUpgrade() && originRequest.version() == HttpVersion.HTTP_1_1) {
      upgrade();
      return;
    }
    originRequest.earlyHintsHandler(this::forwardInterim);
    originRequest.response().onComplete(this::onResponse, this::fail);
    if (!exchange.hasBody()) {
      upload.head();
    } else if (exchange.isExpecting()) {
      upload.allAfterContinue();
    } else {
      upload.all();
    }
  }

  private void writeHost() {
    String host = exchange.target().host();
    originRequest.headers().remove(HttpHeaders.HOST);
    if (upstream.keepsHost() && host != null) {
      originRequest.authority(clientRequest.authority());
    }
  }

  /** Forwards an informational response if the client supports it. */
  private void forwardInterim(MultiMap headers) {
    int status = InterimStatus.take(headers);
    boolean knownToClient = clientRequest.version() != HttpVersion.HTTP_1_0;
    if (knownToClient
        && !ended
        && !clientResponse.closed()
        && !clientResponse.headWritten()
        && !clientResponse.writeQueueFull()) {
      MultiMap passed = MultiMap.caseInsensitiveMultiMap();
      HopByHop.copyOthers(headers, passed);
      InterimResponses.write(clientRequest, status, passed);
    }
  }

  private void onResponse(HttpClientResponse response) {
    try {
      respond(response);
    } catch (RuntimeException invalid) {
      rejectInvalid(invalid);
    }
  }

  private void rejectInvalid(RuntimeException invalid) {
    if (!ended) {
      upload.stop();
      fail(invalid);
    }
  }

  private void respond(HttpClientResponse response) {
    timeout.responded();
    upload.stopWaiting();
    if (clientResponse.closed() || ended) {
      upload.stop();
      return;
    }
    exchange.setUpstreamStatus(response.statusCode());
    clientResponse.setStatusCode(response.statusCode());
    setStatusMessage(response);
    HopByHop.copyOthers(response.headers(), clientResponse.headers(), added.replaced());
    clientResponse.headers().add(ForwardingHeaders.VIA, ForwardingHeaders.via(clientRequest));
    added.addTo(clientResponse);
    mayHaveBody = mayHaveBody(response.statusCode());
    String length = response.headers().get(HttpHeaders.CONTENT_LENGTH);
    if (length == null) {
      if (mayHaveBody && clientRequest.version() == HttpVersion.HTTP_1_1) {
        clientResponse.setChunked(true);
      }
    } else if (originRequest.version() != HttpVersion.HTTP_2) {
      remainingBytes = number(length);
    } else {
      lacksBody = mayHaveBody && number(length) > 0;
    }
    response.exceptionHandler(this::fail);
    response.handler(part -> forwardPart(part, response));
    response.endHandler(streamed -> finish(response));
    if (!OriginHeaders.arePartOfMore(response.headers())) {
      vertx.runOnContext(turn -> writeHead());
    }
  }

  /**
   * Forwards a status message other than the standard one. A 304 keeps its standard message:
   * otherwise Vert.x adds {@code Content-Length: 0}, which would describe the client's cached copy.
   */
  private void setStatusMessage(HttpClientResponse response) {
    String message = response.statusMessage() == null ? "" : response.statusMessage();
    int status = response.statusCode();
    if (status != NOT_MODIFIED
        && !message.equals(HttpResponseStatus.valueOf(status).reasonPhrase())) {
      clientResponse.setStatusMessage(message);
    }
  }

  /**
   * Writes the head alone if no part of the body arrived together with it. Otherwise it is written
   * with the first part, which takes one write instead of two.
   */
  private void writeHead() {
    if (ended || clientResponse.headWritten() || clientResponse.closed()) {
      return;
    }
    written = mayHaveBody ? exchange.writeHead() : exchange.end();
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException noNumber) {
      return UNKNOWN; // A response without a body may have any value.
    }
  }

  private void forwardPart(Buffer part, HttpClientResponse response) {
    if (ended || part.length() == 0) {
      return;
    }
    if (!mayHaveBody) {
      events.surplus();
      finish(response);
      upload.stop();
      return;
    }
    lacksBody = false;
    remainingBytes -= part.length();
    if (remainingBytes == 0) {
      // Ending the response with its last part takes one write instead of two.
      written = exchange.end(part);
      return;
    }
    written = exchange.write(part);
    timeout.forwarded(part.length());
    if (clientResponse.writeQueueFull()) {
      response.pause();
      timeout.blocked(true);
      clientResponse.drainHandler(
          taken -> {
            timeout.blocked(false);
            response.resume();
          });
    }
  }

  private boolean mayHaveBody(int status) {
    return !clientRequest.method().name().equals("HEAD") && status != 204 && status != NOT_MODIFIED;
  }

  private void finish(HttpClientResponse response) {
    if (ended) {
      return;
    }
    if (lacksBody) {
      // A client on HTTP/1.1 would take the next response for the body.
      upload.stop();
      fail(
          Http2Exception.streamError(
              originRequest.streamId(),
              Http2Error.PROTOCOL_ERROR,
              "a response with a Content-Length has no body"));
      return;
    }
    end();
    if (!clientResponse.ended()) {
      written = finishWith(response.trailers());
    }
    // The origin may have responded before it had read the whole body.
    upload.onResponseEnd();
    BodyDrain.discard(vertx, clientRequest, written);
  }

  private Future<Void> finishWith(MultiMap trailers) {
    if (trailers.isEmpty()) {
      return exchange.end();
    }
    clientResponse.trailers().addAll(trailers);
    if (clientRequest.version() != HttpVersion.HTTP_2 || Streams.isWritable(clientRequest)) {
      return exchange.end();
    }
    // Vert.x fails on queued trailers when the client resets the stream.
    return written.compose(all -> exchange.end());
  }

  private void upgrade() {
    originRequest.putHeader("Connection", "Upgrade");
    originRequest.putHeader("Upgrade", clientRequest.headers().get("upgrade"));
    originRequest.earlyHintsHandler(this::forwardInterim);
    upload.upgrade().onComplete(this::switchProtocols, this::fail);
  }

  private void switchProtocols(HttpClientResponse response) {
    if (response.statusCode() != SWITCHING_PROTOCOLS) {
      respond(response);
      return;
    }
    // The tunnel keeps its connection, and so the client's share, until it closes.
    stopTimeouts();
    exchange.setUpstreamStatus(SWITCHING_PROTOCOLS);
    clientResponse.setStatusCode(SWITCHING_PROTOCOLS);
    HopByHop.copyOthers(response.headers(), clientResponse.headers(), added.replaced());
    clientResponse.putHeader("Connection", "Upgrade");
    clientResponse.putHeader("Upgrade", response.headers().get("upgrade"));
    added.addTo(clientResponse);
    NetSocket originSocket = response.netSocket();
    originSocket.pause();
    Future<NetSocket> upgraded = clientRequest.toNetSocket();
    upgraded.onComplete(
        socket -> {
          socket.pipeTo(originSocket).onComplete(end -> originSocket.close());
          originSocket
              .pipeTo(socket)
              .onComplete(
                  end -> {
                    socket.close();
                    endTunnel();
                  });
        },
        failure -> {
          originSocket.close();
          endTunnel();
        });
  }

  private void endTunnel() {
    events.left(null);
    exchange.finish();
  }

  private void abandon() {
    // A client that has its whole response may disconnect; the exchange with the origin ends by
    // itself.
    if (!ended && !clientResponse.ended()) {
      end();
      upload.stop();
    }
  }

  private void abandon(Throwable failure) {
    abandon();
    exchange.respondIfMalformed(failure);
  }

  private void fail(Throwable failure) {
    if (ended) {
      return;
    }
    if (OriginConnection.isUnsent(failure) && upload.isRepeatable() && events.mayResend()) {
      LOG.debug("request is sent on another connection", failure);
      upload.hold();
      stopTimeouts();
      events.resend();
    } else {
      if (failure instanceof Http2Exception
          && !(failure instanceof Http2Exception.StreamException)) {
        // The client may send another request as soon as it has the response to this one.
        OriginConnection.markFailed(originRequest.connection());
      }
      events.failed(failure);
      end();
      exchange.respondWithError(502, "Bad Gateway", "The origin aborted the exchange");
    }
  }

  /**
   * Ends the exchange after an uncaught exception. Vert.x itself throws one if the head of a
   * response arrives at this event loop after its connection, which belongs to another event loop,
   * has failed. In that case the origin aborted the exchange.
   *
   * @return whether a response was sent
   */
  boolean endAfter(Throwable failure) {
    if (originRequest.response().failed()) {
      LOG.debug("origin connection failed while its response arrived", failure);
      fail(failure);
      return true;
    }
    exchange.abortedBy(AbortedBy.SERVER);
    abandon();
    return false;
  }

  @Override
  public void onTimeout(InFlightRequests.TimeoutKind timeoutKind) {
    if (!ended) {
      end(timeoutKind);
      upload.stop();
      if (timeoutKind != InFlightRequests.TimeoutKind.CLIENT) {
        exchange.respondWithError(504, "Gateway Timeout", timeoutKind.detail());
      } else if (clientResponse.headWritten()) {
        exchange.abort(AbortedBy.CLIENT);
      } else {
        exchange.respondWithError(408, "Request Timeout", timeoutKind.detail());
      }
    }
  }

  private void end() {
    end(null);
  }

  private void end(InFlightRequests.@Nullable TimeoutKind timeoutKind) {
    if (!ended) {
      try {
        stopTimeouts();
      } finally {
        events.left(timeoutKind);
      }
    }
  }

  private void stopTimeouts() {
    ended = true;
    upload.stopWaiting();
    timeout.remove();
  }
}
