package io.penstock.server.proxy;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.function.Consumer;

/** One request on its way to the origin, and its response on the way back. */
final class Forwarding {
  private static final int SWITCHING_PROTOCOLS = 101;

  private final Vertx vertx;
  private final Exchange exchange;
  private final HttpServerRequest from;
  private final HttpServerResponse back;
  private final Upstream upstream;
  private final Consumer<HttpServerResponse> additions;
  private long firstByteTimer = -1;
  private long totalTimer = -1;
  private boolean over;

  Forwarding(Exchange exchange, Upstream upstream, Consumer<HttpServerResponse> additions) {
    this.vertx = exchange.vertx();
    this.exchange = exchange;
    this.from = exchange.request();
    this.back = from.response();
    this.upstream = upstream;
    this.additions = additions;
  }

  void send(HttpClientRequest to) {
    if (back.closed()) {
      to.reset();
      return;
    }
    exchange.writeHeaders(to.headers());
    writeHost(to);
    startTimers(to);
    back.closeHandler(gone -> abandon(to));
    back.exceptionHandler(gone -> abandon(to));
    if (exchange.isUpgrade()) {
      upgrade(to);
      return;
    }
    to.response().onComplete(this::respond, this::fail);
    if (!exchange.hasBody()) {
      to.end();
    } else if (exchange.isExpecting()) {
      to.continueHandler(
          wanted -> {
            back.writeContinue();
            stream(to);
          });
      frame(to);
      to.sendHead();
    } else {
      frame(to);
      stream(to);
    }
  }

  private void writeHost(HttpClientRequest to) {
    String host = exchange.target().host();
    to.headers().remove("host");
    if (upstream.keepsHost() && host != null) {
      to.authority(from.authority());
    }
  }

  /** A body of unknown length is sent in chunks, unless the protocol has frames of its own. */
  private static void frame(HttpClientRequest to) {
    if (!to.headers().contains("content-length") && to.version() != HttpVersion.HTTP_2) {
      to.setChunked(true);
    }
  }

  private void stream(HttpClientRequest to) {
    from.pipeTo(to)
        .onFailure(
            broken -> {
              // A client that left, or a body that was cut off, must not look whole to the origin.
              if (!over) {
                to.reset();
              }
            });
  }

  private void respond(HttpClientResponse response) {
    stopFirstByteTimer();
    if (back.closed() || over) {
      response.request().reset();
      return;
    }
    back.setStatusCode(response.statusCode());
    back.setStatusMessage(response.statusMessage() == null ? "" : response.statusMessage());
    HopByHop.copyOthers(response.headers(), back.headers());
    back.headers().add("Via", ForwardingHeaders.via(from));
    additions.accept(back);
    boolean framed = response.headers().contains("content-length");
    if (!framed && mayHaveBody(response) && from.version() == HttpVersion.HTTP_1_1) {
      back.setChunked(true);
    }
    response.exceptionHandler(this::fail);
    response
        .pipe()
        .endOnComplete(false)
        .to(back)
        .onComplete(streamed -> finish(response), this::fail);
  }

  private boolean mayHaveBody(HttpClientResponse response) {
    int status = response.statusCode();
    return !from.method().name().equals("HEAD") && status != 204 && status != 304;
  }

  private void finish(HttpClientResponse response) {
    over = true;
    stopTimers();
    MultiMap trailers = response.trailers();
    if (!trailers.isEmpty()) {
      back.trailers().addAll(trailers);
    }
    back.end();
    if (!from.isEnded()) {
      // The origin has answered before it had everything.
      response.request().reset();
      Leftovers.discard(vertx, from);
    }
  }

  private void upgrade(HttpClientRequest to) {
    to.putHeader("Connection", "Upgrade");
    to.putHeader("Upgrade", from.headers().get("upgrade"));
    to.connect().onComplete(this::switchProtocols, this::fail);
  }

  private void switchProtocols(HttpClientResponse response) {
    if (response.statusCode() != SWITCHING_PROTOCOLS) {
      respond(response);
      return;
    }
    stopTimers();
    over = true;
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
          there.pipeTo(socket).onComplete(end -> socket.close());
        },
        failure -> there.close());
  }

  private void abandon(HttpClientRequest to) {
    if (!over) {
      over = true;
      stopTimers();
      to.reset();
    }
  }

  private void fail(Throwable failure) {
    if (over) {
      return;
    }
    over = true;
    stopTimers();
    exchange.refuse(502, "Bad Gateway", "The origin broke off");
  }

  private void startTimers(HttpClientRequest to) {
    firstByteTimer = timer(upstream.firstByteTimeout(), to, "The origin did not answer in time");
    totalTimer = timer(upstream.totalTimeout(), to, "The origin took too long");
  }

  private long timer(Duration most, HttpClientRequest to, String detail) {
    if (most.isZero()) {
      return -1;
    }
    return vertx.setTimer(
        most.toMillis(),
        late -> {
          if (!over) {
            over = true;
            stopTimers();
            to.reset();
            exchange.refuse(504, "Gateway Timeout", detail);
          }
        });
  }

  private void stopFirstByteTimer() {
    vertx.cancelTimer(firstByteTimer);
  }

  private void stopTimers() {
    vertx.cancelTimer(firstByteTimer);
    vertx.cancelTimer(totalTimer);
  }
}
