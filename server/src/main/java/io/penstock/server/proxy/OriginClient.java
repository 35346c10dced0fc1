package io.penstock.server.proxy;

import io.netty.channel.ConnectTimeoutException;
import io.netty.util.concurrent.FastThreadLocal;
import io.penstock.server.http.FailedRequests;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.Context;
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
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server that requests are for. Thread-safe. */
final class OriginClient {
  private static final int ATTEMPTS = 4;
  private static final int MAX_HEADER_SIZE = 64 << 10;
  private static final Logger LOG = LoggerFactory.getLogger(OriginClient.class);
  private static final RepeatedWarning SURPLUS = new RepeatedWarning(LOG);
  private static final RepeatedWarning BAD_ANSWERS = new RepeatedWarning(LOG);

  private final Upstream upstream;
  private final HttpClient client;
  private final FastThreadLocal<InFlightRequests> inFlight;
  private final FastThreadLocal<InFlightRequests> waiting;
  private final Vertx vertx;
  private final ClientShares shares;
  private final LongAdder surplus = new LongAdder();
  private final LongAdder unavailable = new LongAdder();
  private final LongAdder slowClients = new LongAdder();

  OriginClient(Vertx vertx, Upstream upstream) {
    this.vertx = vertx;
    this.upstream = upstream;
    this.shares =
        new ClientShares(
            upstream.maxExchangesPerClient(), Math.max(1, upstream.waiting().queue() / 2));
    this.inFlight = perEventLoop(vertx, upstream.firstByteTimeout(), upstream.totalTimeout());
    this.waiting = perEventLoop(vertx, upstream.waiting().timeout(), Duration.ZERO);
    this.client =
        vertx
            .httpClientBuilder()
            .with(options(upstream))
            .withConnectHandler(this::makeStrict)
            .with(
                new PoolOptions()
                    .setHttp1MaxSize(upstream.connections())
                    .setHttp2MaxSize(upstream.connections())
                    .setMaxWaitQueueSize(upstream.waiting().queue()))
            .build();
  }

  /** A connection that can't be made strict is not used. */
  private void makeStrict(HttpConnection connection) {
    try {
      OriginConnection.makeStrict(connection, MAX_HEADER_SIZE, this::surplus);
      // Vert.x would log a stack trace for each; the exchange that it ends gets 502.
      connection.exceptionHandler(
          failure ->
              BAD_ANSWERS.warn(
                  "The origin's answer is not usable, the client gets 502: "
                      + failure.getMessage()));
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

  /** How many requests got 503 because no connection became free for them. */
  long unavailableCount() {
    return unavailable.sum();
  }

  /** How many responses were reset because the client read too slowly. */
  long slowClientCount() {
    return slowClients.sum();
  }

  /** How many connections were closed because of bytes that belong to no request. */
  long surplusCount() {
    return surplus.sum();
  }

  private FastThreadLocal<InFlightRequests> perEventLoop(
      Vertx vertx, Duration first, Duration total) {
    return new FastThreadLocal<>() {
      @Override
      protected InFlightRequests initialValue() {
        InFlightRequests mine = new InFlightRequests(first, total, upstream.slowClients());
        vertx.setPeriodic(mine.periodMillis(), period -> mine.look());
        return mine;
      }
    };
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
    OriginAttempt passage = new OriginAttempt(exchange, additions, unreached);
    FailedRequests.endOnFailure(passage);
    switch (shares.enter(passage.address, passage)) {
      case ENTERED -> passage.entered();
      case WAITS -> passage.await(upstream.waiting().timeout().toMillis());
      case REJECTED -> passage.unavailable("Too many requests of this client wait for the origin");
    }
  }

  /** A request's way to a connection. Belongs to one event loop, but for {@link #proceed}. */
  private final class OriginAttempt implements ClientShares.Waiter, FailedRequests.RequestWork {
    private final Exchange exchange;
    private final Consumer<HttpServerResponse> additions;
    private final Runnable unreached;
    private final String address;
    private final Context context = vertx.getOrCreateContext();
    private InFlightRequests.@Nullable RequestTimeout stay;
    private @Nullable Forwarding forwarding;
    private boolean holdsShare;
    private boolean gaveUp;
    private long timer;
    private long sinceNanos;
    private long waitedMillis;

    OriginAttempt(Exchange exchange, Consumer<HttpServerResponse> additions, Runnable unreached) {
      this.exchange = exchange;
      this.additions = additions;
      this.unreached = unreached;
      this.address = exchange.client().address();
    }

    /** Waits until the client has fewer exchanges. */
    void await(long millis) {
      sinceNanos = System.nanoTime();
      timer =
          vertx.setTimer(
              millis,
              late -> {
                if (shares.withdraw(address, this)) {
                  unavailable("Too many requests of this client are with the origin");
                }
              });
    }

    @Override
    public void proceed() {
      // On the event loop of the request, so behind await, however soon this is called.
      context.runOnContext(
          now -> {
            vertx.cancelTimer(timer);
            waitedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
            entered();
          });
    }

    /** The client's share has room for this request, until {@link #release}. */
    void entered() {
      holdsShare = true;
      if (gaveUp) {
        release();
      } else {
        connect(ATTEMPTS);
      }
    }

    private void release() {
      if (holdsShare) {
        holdsShare = false;
        shares.leave(address);
      }
    }

    @Override
    public boolean endAfter(Throwable failure) {
      gaveUp = true;
      if (shares.withdraw(address, this)) {
        return false;
      }
      try {
        stopWaiting();
        return forwarding != null && forwarding.endAfter(failure);
      } finally {
        release();
      }
    }

    /**
     * Waits for a connection. Vert.x has a timeout for that too, which now and then fires for a
     * request that has its connection.
     */
    private void connect(int attempts) {
      RequestOptions options =
          new RequestOptions()
              .setMethod(exchange.request().method())
              .setURI(exchange.target().uri())
              .setFollowRedirects(false);
      Future<HttpClientRequest> connected = client.request(options);
      if (!connected.isComplete()) {
        stay = waiting.get().enter(late -> giveUp(), waitedMillis);
      }
      connected.onComplete(this::connected, failure -> failed(failure, attempts));
    }

    private void giveUp() {
      gaveUp = true;
      stopWaiting();
      left(null);
      unavailable("No connection to the origin became free in time");
    }

    private void stopWaiting() {
      if (stay != null) {
        stay.leave();
        stay = null;
      }
    }

    private void connected(HttpClientRequest request) {
      stopWaiting();
      if (gaveUp) {
        // Nothing was sent on it: the connection goes back to the pool.
        request.exceptionHandler(reset -> LOG.debug("a connection is not needed any more", reset));
        var unused = request.reset();
        return;
      }
      forwarding =
          new Forwarding(exchange, upstream, additions, request, inFlight.get(), this::left);
      forwarding.begin();
    }

    private void failed(Throwable failure, int attempts) {
      stopWaiting();
      if (gaveUp) {
        return;
      }
      if (failure instanceof HttpClosedException && attempts > 1) {
        // The origin closed a connection of the pool just as it was taken; nothing was sent.
        connect(attempts - 1);
        return;
      }
      left(null);
      unreachable(failure);
    }

    private void left(InFlightRequests.@Nullable TimeoutKind why) {
      if (why == InFlightRequests.TimeoutKind.CLIENT) {
        slowClients.increment();
      }
      release();
    }

    private void unreachable(Throwable failure) {
      if (failure instanceof ConnectionPoolTooBusyException) {
        unavailable("Too many requests wait for the origin");
      } else if (failure instanceof TimeoutException
          || failure instanceof ConnectTimeoutException) {
        unreached.run();
        exchange.refuse(504, "Gateway Timeout", "The origin could not be reached in time");
      } else {
        unreached.run();
        exchange.refuse(502, "Bad Gateway", "The origin can't be reached");
      }
    }

    private void unavailable(String detail) {
      unavailable.increment();
      unreached.run();
      exchange.unavailable(detail, Math.max(1, upstream.waiting().timeout().toSeconds()));
    }
  }
}
