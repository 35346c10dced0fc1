package io.penstock.server.proxy;

import io.netty.channel.ConnectTimeoutException;
import io.netty.util.concurrent.FastThreadLocal;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server that requests are for. Thread-safe. */
final class Origin {
  private static final int ATTEMPTS = 4;
  private static final int MAX_HEADER_SIZE = 64 << 10;
  private static final Logger LOG = LoggerFactory.getLogger(Origin.class);
  private static final RepeatedWarning SURPLUS = new RepeatedWarning(LOG);

  private final Upstream upstream;
  private final HttpClient client;
  private final FastThreadLocal<Underway> underway;
  private final LongAdder surplus = new LongAdder();

  Origin(Vertx vertx, Upstream upstream) {
    this.upstream = upstream;
    this.underway =
        new FastThreadLocal<>() {
          @Override
          protected Underway initialValue() {
            Underway mine = new Underway(upstream.firstByteTimeout(), upstream.totalTimeout());
            vertx.setPeriodic(mine.periodMillis(), period -> mine.look());
            return mine;
          }
        };
    this.client =
        vertx
            .httpClientBuilder()
            .with(options(upstream))
            .withConnectHandler(this::makeStrict)
            .with(
                new PoolOptions()
                    .setHttp1MaxSize(upstream.connections())
                    .setHttp2MaxSize(upstream.connections())
                    .setMaxWaitQueueSize(upstream.queue()))
            .build();
  }

  /** A connection that can't be made strict is not used. */
  private void makeStrict(HttpConnection connection) {
    try {
      OriginConnection.makeStrict(connection, MAX_HEADER_SIZE, this::surplus);
    } catch (RuntimeException unknown) {
      LOG.error("Cannot use connections to the origin", unknown);
      connection.close();
    }
  }

  private void surplus() {
    surplus.increment();
    SURPLUS.warn(
        "The origin sent bytes that belong to no request; the connection they came on is closed");
  }

  /** How many connections were closed because of bytes that belong to no request. */
  long surplusCount() {
    return surplus.sum();
  }

  private static HttpClientOptions options(Upstream upstream) {
    HttpClientOptions options = new HttpClientOptions();
    if (upstream.certificates() != null) {
      options.setTrustOptions(new PemTrustOptions().addCertPath(upstream.certificates()));
    }
    return options
        .setDefaultHost(upstream.host())
        .setDefaultPort(upstream.port())
        .setSsl(upstream.isSecure())
        .setUseAlpn(upstream.isSecure() && upstream.http2())
        .setProtocolVersion(upstream.http2() ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1)
        .setHttp2ClearTextUpgrade(false)
        .setKeepAlive(true)
        .setPipelining(false)
        .setMaxRedirects(0)
        .setConnectTimeout((int) upstream.connectTimeout().toMillis())
        .setIdleTimeout((int) upstream.idleTimeout().toMillis())
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
        .setMaxHeaderSize(MAX_HEADER_SIZE);
  }

  /**
   * Sends a request on, and the response back.
   *
   * @param additions what is added to the response
   * @param unreached called if nothing was sent, because there was no connection to send it on
   */
  void forward(Exchange exchange, Consumer<HttpServerResponse> additions, Runnable unreached) {
    forward(exchange, additions, unreached, ATTEMPTS);
  }

  private void forward(
      Exchange exchange, Consumer<HttpServerResponse> additions, Runnable unreached, int attempts) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(exchange.request().method())
            .setURI(exchange.target().uri())
            .setFollowRedirects(false);
    Future<HttpClientRequest> connected = client.request(options);
    connected.onComplete(
        request -> new Forwarding(exchange, upstream, additions, request, underway.get()).begin(),
        failure -> {
          if (failure instanceof HttpClosedException && attempts > 1) {
            // The origin closed a connection of the pool just as it was taken; nothing was sent.
            forward(exchange, additions, unreached, attempts - 1);
            return;
          }
          unreached.run();
          unreachable(exchange, failure);
        });
  }

  private static void unreachable(Exchange exchange, Throwable failure) {
    if (failure instanceof ConnectionPoolTooBusyException) {
      exchange.refuse(503, "Service Unavailable", "Too many requests wait for the origin");
    } else if (failure instanceof TimeoutException || failure instanceof ConnectTimeoutException) {
      exchange.refuse(504, "Gateway Timeout", "The origin could not be reached in time");
    } else {
      exchange.refuse(502, "Bad Gateway", "The origin can't be reached");
    }
  }
}
