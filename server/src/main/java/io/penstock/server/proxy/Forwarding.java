package io.penstock.server.proxy;

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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request on its way to the origin, and its response on the way back. Belongs to one event
 * loop.
 */
final class Forwarding implements InFlightRequests.TimedRequest {
  private static final Logger LOG = LoggerFactory.getLogger(Forwarding.class);
  private static final int SWITCHING_PROTOCOLS = 101;
  private static final long UNKNOWN = -1;

  private final Vertx vertx;
  private final Exchange exchange;
  private final HttpServerRequest from;
  private final HttpServerResponse back;
  private final Upstream upstream;
  private final Consumer<HttpServerResponse> additions;
  private final HttpClientRequest to;
  private final RequestUpload sending;
  private final InFlightRequests.RequestTimeout stay;
  private final Consumer<InFlightRequests.@Nullable TimeoutKind> left;
  private boolean over;

  /** The last part of the response that was written, or all of it. */
  private Future<Void> written = Future.succeededFuture();

  /** What is still to come of a body whose length the origin told, of a kind without trailers. */
  private long leftBytes = UNKNOWN;

  /**
   * @param left called once, when the origin's connection is no longer needed; told what took too
   *     long, if that is why
   */
  Forwarding(
      Exchange exchange,
      Upstream upstream,
      Consumer<HttpServerResponse> additions,
      HttpClientRequest to,
      InFlightRequests inFlight,
      Consumer<InFlightRequests.@Nullable TimeoutKind> left) {
    this.vertx = exchange.vertx();
    this.exchange = exchange;
    this.from = exchange.request();
    this.back = from.response();
    this.upstream = upstream;
    this.additions = additions;
    this.to = to;
    this.sending = new RequestUpload(vertx, from, to);
    this.stay = inFlight.enter(this);
    this.left = left;
  }

  /** Sends the request on. What can't be put into the origin's protocol is not left waiting. */
  void begin() {
    try {
      send();
    } catch (RuntimeException unsendable) {
      refuse(unsendable);
    }
  }

  private void send() {
    // Without a handler, Vert.x logs an error for each. The response tells what came of it.
    to.exceptionHandler(failure -> LOG.debug("a request to the origin broke off", failure));
    if (back.closed()) {
      abandon();
      return;
    }
    exchange.writeHeaders(upstream, to.headers());
    writeHost();
    back.closeHandler(gone -> abandon());
    back.exceptionHandler(gone -> abandon());
    if (exchange.isUpgrade() && to.version() == HttpVersion.HTTP_1_1) {
      upgrade();
      return;
    }
    to.earlyHintsHandler(this::interim);
    to.response().onComplete(this::answer, this::fail);
    if (!exchange.hasBody()) {
      sending.head();
    } else if (exchange.isExpecting()) {
      sending.allWhenAsked();
    } else {
      sending.all();
    }
  }

  private void writeHost() {
    String host = exchange.target().host();
    to.headers().remove(HttpHeaders.HOST);
    if (upstream.keepsHost() && host != null) {
      to.authority(from.authority());
    }
  }

  /** Passes on an informational response, unless the client can't take it. */
  private void interim(MultiMap headers) {
    int status = InterimStatus.take(headers);
    boolean knownToClient = from.version() != HttpVersion.HTTP_1_0;
    if (knownToClient && !over && !back.closed() && !back.headWritten() && !back.writeQueueFull()) {
      MultiMap passed = MultiMap.caseInsensitiveMultiMap();
      HopByHop.copyOthers(headers, passed);
      InterimResponses.write(from, status, passed);
    }
  }

  private void answer(HttpClientResponse response) {
    try {
      respond(response);
    } catch (RuntimeException unsendable) {
      refuse(unsendable);
    }
  }

  private void refuse(RuntimeException unsendable) {
    if (!over) {
      sending.stop();
      fail(unsendable);
    }
  }

  private void respond(HttpClientResponse response) {
    stay.answered();
    sending.stopWaiting();
    if (back.closed() || over) {
      sending.stop();
      return;
    }
    exchange.answered(response.statusCode());
    back.setStatusCode(response.statusCode());
    back.setStatusMessage(response.statusMessage() == null ? "" : response.statusMessage());
    HopByHop.copyOthers(response.headers(), back.headers());
    back.headers().add(ForwardingHeaders.VIA, ForwardingHeaders.via(from));
    additions.accept(back);
    String length = response.headers().get(HttpHeaders.CONTENT_LENGTH);
    if (length == null) {
      if (mayHaveBody(response) && from.version() == HttpVersion.HTTP_1_1) {
        back.setChunked(true);
      }
    } else if (to.version() != HttpVersion.HTTP_2) {
      leftBytes = number(length);
    }
    response.exceptionHandler(this::fail);
    response.handler(part -> pass(part, response));
    response.endHandler(streamed -> finish(response));
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException noNumber) {
      return UNKNOWN; // An answer without a body may have anything there.
    }
  }

  private void pass(Buffer part, HttpClientResponse response) {
    leftBytes -= part.length();
    if (leftBytes == 0) {
      // With its end known to be near, a short answer is one write and not two.
      written = exchange.end(part);
      return;
    }
    written = exchange.write(part);
    stay.passed(part.length());
    if (back.writeQueueFull()) {
      response.pause();
      stay.blocked(true);
      back.drainHandler(
          taken -> {
            stay.blocked(false);
            response.resume();
          });
    }
  }

  private boolean mayHaveBody(HttpClientResponse response) {
    int status = response.statusCode();
    return !from.method().name().equals("HEAD") && status != 204 && status != 304;
  }

  private void finish(HttpClientResponse response) {
    if (over) {
      return;
    }
    end();
    if (!back.ended()) {
      written = finishWith(response.trailers());
    }
    // The origin may have answered before it had everything.
    sending.answeredWhole();
    BodyDrain.discard(vertx, from, written);
  }

  private Future<Void> finishWith(MultiMap trailers) {
    if (trailers.isEmpty()) {
      return exchange.end();
    }
    back.trailers().addAll(trailers);
    if (from.version() != HttpVersion.HTTP_2 || Streams.isWritable(from)) {
      return exchange.end();
    }
    // Vert.x fails on trailers that wait in its queue when the client resets the stream.
    return written.compose(all -> exchange.end());
  }

  private void upgrade() {
    to.putHeader("Connection", "Upgrade");
    to.putHeader("Upgrade", from.headers().get("upgrade"));
    to.earlyHintsHandler(this::interim);
    sending.upgrade().onComplete(this::switchProtocols, this::fail);
  }

  private void switchProtocols(HttpClientResponse response) {
    if (response.statusCode() != SWITCHING_PROTOCOLS) {
      respond(response);
      return;
    }
    end();
    exchange.answered(SWITCHING_PROTOCOLS);
    back.setStatusCode(SWITCHING_PROTOCOLS);
    HopByHop.copyOthers(response.headers(), back.headers());
    back.putHeader("Connection", "Upgrade");
    back.putHeader("Upgrade", response.headers().get("upgrade"));
    additions.accept(back);
    NetSocket there = response.netSocket();
    there.pause();
    Future<NetSocket> here = from.toNetSocket();
    here.onComplete(
        socket -> {
          socket.pipeTo(there).onComplete(end -> there.close());
          there
              .pipeTo(socket)
              .onComplete(
                  end -> {
                    socket.close();
                    exchange.over();
                  });
        },
        failure -> {
          there.close();
          exchange.over();
        });
  }

  private void abandon() {
    // A client that has its whole response may leave; the exchange with the origin ends by itself.
    if (!over && !back.ended()) {
      end();
      sending.stop();
    }
  }

  private void fail(Throwable failure) {
    if (!over) {
      end();
      exchange.refuse(502, "Bad Gateway", "The origin broke off");
    }
  }

  /**
   * Ends because of an exception that nobody caught. Vert.x throws one itself if the head of an
   * answer arrives at this event loop after the failure of its connection, which is served by
   * another: the origin broke off, then.
   *
   * @return whether the request is answered
   */
  boolean endAfter(Throwable failure) {
    if (to.response().failed()) {
      LOG.debug("the origin broke off as its answer arrived", failure);
      fail(failure);
      return true;
    }
    exchange.abortedBy(AbortedBy.SERVER);
    abandon();
    return false;
  }

  @Override
  public void late(InFlightRequests.TimeoutKind why) {
    if (!over) {
      end(why);
      sending.stop();
      if (why == InFlightRequests.TimeoutKind.CLIENT) {
        exchange.breakOff(AbortedBy.CLIENT);
      } else {
        exchange.refuse(504, "Gateway Timeout", why.detail());
      }
    }
  }

  private void end() {
    end(null);
  }

  private void end(InFlightRequests.@Nullable TimeoutKind why) {
    if (!over) {
      over = true;
      try {
        sending.stopWaiting();
        stay.leave();
      } finally {
        left.accept(why);
      }
    }
  }
}
