package io.penstock.server.proxy;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.concurrent.FastThreadLocal;
import io.penstock.server.http.FailedRequests;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.Http2Settings;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forwards requests to the origin. Thread-safe. */
final class OriginClient {
  private static final int MAX_ATTEMPTS = 4;
  private static final int MAX_HEADER_SIZE = 64 << 10;
  private static final int MAX_ABANDONED = 4_096;
  private static final Logger LOG = LoggerFactory.getLogger(OriginClient.class);

  private final Upstream upstream;
  private final HttpClient client;
  private final FastThreadLocal<InFlightRequests> inFlight;
  private final FastThreadLocal<InFlightRequests> waiting;
  private final Vertx vertx;
  private final ClientShares shares;
  private final OriginWarnings warnings = new OriginWarnings();
  private final AtomicInteger usedSlots = new AtomicInteger();
  private final AtomicInteger openConnections = new AtomicInteger();
  private final AtomicLong connects = new AtomicLong();
  private final LongAdder surplus = new LongAdder();
  private final LongAdder unavailable = new LongAdder();
  private final LongAdder slowClients = new LongAdder();

  OriginClient(Vertx vertx, Upstream upstream) {
    this.vertx = vertx;
    this.upstream = upstream;
    this.shares =
        new ClientShares(
            upstream.maxExchangesPerClient(), Math.max(1, upstream.waiting().queue() / 2));
    this.inFlight =
        perEventLoop(
            vertx, upstream.firstByteTimeout(), upstream.idleTimeout(), upstream.totalTimeout());
    this.waiting = perEventLoop(vertx, upstream.waiting().timeout(), Duration.ZERO, Duration.ZERO);
    this.client =
        vertx
            .httpClientBuilder()
            .with(options(upstream))
            .withConnectHandler(this::makeStrict)
            .with(
                new PoolOptions()
                    .setHttp1MaxSize(upstream.connections())
                    .setHttp2MaxSize(upstream.connections())
                    // Requests that no longer wait stay in this queue until a connection is free.
                    .setMaxWaitQueueSize(maxSlots() + MAX_ABANDONED))
            .build();
  }

  /** Makes a connection strict, or closes it if that is not possible. */
  private void makeStrict(HttpConnection connection) {
    try {
      OriginConnection.makeStrict(connection, MAX_HEADER_SIZE, this::surplus);
      // Vert.x would log a stack trace for each failure; the client gets 502.
      connection.exceptionHandler(warnings::connectionFailed);
      connects.incrementAndGet();
      openConnections.incrementAndGet();
      VertxInternals.ofOrigin(connection)
          .channel()
          .closeFuture()
          .addListener(closed -> openConnections.decrementAndGet());
    } catch (RuntimeException unknown) {
      LOG.error("Cannot inspect a connection to the origin; the connection is closed", unknown);
      connection.close();
    }
  }

  /** Returns the max number of requests that use or wait for a connection. */
  private int maxSlots() {
    return upstream.connections() + upstream.waiting().queue();
  }

  private void surplus() {
    surplus.increment();
    warnings.surplus();
  }

  /** Returns how many requests got 503 because no connection became free. */
  long unavailableCount() {
    return unavailable.sum();
  }

  /** Returns how many exchanges were ended because the client read or sent too slowly. */
  long slowClientCount() {
    return slowClients.sum();
  }

  /** Returns how many connections were closed because of bytes that belong to no request. */
  long surplusCount() {
    return surplus.sum();
  }

  private FastThreadLocal<InFlightRequests> perEventLoop(
      Vertx vertx, Duration first, Duration idle, Duration total) {
    return new FastThreadLocal<>() {
      @Override
      protected InFlightRequests initialValue() {
        InFlightRequests requests =
            new InFlightRequests(first, idle, total, upstream.slowClients());
        vertx.setPeriodic(requests.periodMillis(), period -> requests.scan());
        return requests;
      }
    };
  }

  private static HttpClientOptions options(Upstream upstream) {
    HttpClientOptions options = new HttpClientOptions();
    if (upstream.isSecure()) {
      setTls(options, upstream);
    }
    return options
        .setDefaultHost(upstream.host())
        .setDefaultPort(upstream.port())
        .setProtocolVersion(upstream.http2() ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1)
        .setHttp2ClearTextUpgrade(false)
        .setKeepAlive(true)
        .setPipelining(false)
        .setMaxRedirects(0)
        .setConnectTimeout((int) upstream.connectTimeout().toMillis())
        .setIdleTimeout((int) upstream.idleTimeout().toMillis())
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
        .setMaxHeaderSize(MAX_HEADER_SIZE)
        .setInitialSettings(new Http2Settings().setMaxHeaderListSize(MAX_HEADER_SIZE));
  }

  /** Only for an origin with TLS: Vert.x computes a hash code of these options for each request. */
  private static void setTls(HttpClientOptions options, Upstream upstream) {
    if (upstream.certificates() != null) {
      options.setTrustOptions(new PemTrustOptions().addCertPath(upstream.certificates()));
    }
    options
        .setSsl(true)
        .setUseAlpn(upstream.http2())
        .setSslHandshakeTimeout(upstream.connectTimeout().toMillis())
        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
  }

  /**
   * Forwards a request and its response.
   *
   * @param added the headers that are added to the response
   * @param unreached called if nothing was sent because no connection was available
   */
  void forward(Exchange exchange, AddedHeaders added, Runnable unreached) {
    OriginAttempt attempt = new OriginAttempt(exchange, added, unreached);
    FailedRequests.endOnFailure(attempt);
    switch (shares.enter(attempt.subscriber, attempt)) {
      case ENTERED -> attempt.entered();
      case WAITS -> attempt.await(upstream.waiting().timeout().toMillis());
      case REJECTED ->
          attempt.unavailable("Too many requests of this client are waiting for the origin");
    }
  }

  /**
   * A request that waits for a connection. Confined to one event loop, except for {@link #proceed}.
   */
  private final class OriginAttempt
      implements ClientShares.Waiter, FailedRequests.RequestWork, Forwarding.ExchangeEvents {
    private final Exchange exchange;
    private final AddedHeaders added;
    private final Runnable unreached;
    private final String subscriber;
    private final Context context = vertx.getOrCreateContext();
    private InFlightRequests.@Nullable RequestTimeout waitTimeout;
    private @Nullable Forwarding forwarding;
    private boolean holdsShare;
    private boolean hasSlot;
    private boolean abandoned;
    private long timer;
    private long startNanos;
    private long waitedMillis;
    private long connectsBefore;
    private int remainingAttempts;

    OriginAttempt(Exchange exchange, AddedHeaders added, Runnable unreached) {
      this.exchange = exchange;
      this.added = added;
      this.unreached = unreached;
      this.subscriber = exchange.client().subscriber();
    }

    /** Waits until the client has fewer exchanges. */
    void await(long millis) {
      stopIfDisconnected();
      startNanos = System.nanoTime();
      timer =
          vertx.setTimer(
              millis,
              late -> {
                if (shares.withdraw(subscriber, this)) {
                  unavailable("Too many requests of this client are in flight to the origin");
                }
              });
    }

    @Override
    public void proceed() {
      // May be called before await has returned; the task runs after that, on the same event loop.
      context.runOnContext(
          now -> {
            vertx.cancelTimer(timer);
            waitedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
            entered();
          });
    }

    /** Called when the client's share has room for this request, until {@link #release}. */
    void entered() {
      holdsShare = true;
      if (abandoned) {
        release();
      } else if (takeSlot()) {
        connect(MAX_ATTEMPTS);
      } else {
        release();
        unavailable("Too many requests are waiting for the origin");
      }
    }

    private boolean takeSlot() {
      hasSlot = usedSlots.incrementAndGet() <= maxSlots();
      if (!hasSlot) {
        usedSlots.decrementAndGet();
      }
      return hasSlot;
    }

    private void releaseSlot() {
      if (hasSlot) {
        hasSlot = false;
        usedSlots.decrementAndGet();
      }
    }

    /** Stops waiting when the client disconnects. */
    private void stopIfDisconnected() {
      HttpServerResponse response = exchange.request().response();
      response.closeHandler(disconnected -> disconnected());
      response.exceptionHandler(
          failure -> {
            disconnected();
            exchange.respondIfMalformed(failure);
          });
    }

    private void disconnected() {
      if (forwarding == null && !abandoned) {
        abandoned = true;
        if (shares.withdraw(subscriber, this)) {
          vertx.cancelTimer(timer);
        }
        stopWaiting();
        release();
      }
    }

    private void release() {
      releaseSlot();
      if (holdsShare) {
        holdsShare = false;
        shares.leave(subscriber);
      }
    }

    @Override
    public boolean endAfter(Throwable failure) {
      abandoned = true;
      if (shares.withdraw(subscriber, this)) {
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
     * Waits for a connection. The timeout of Vert.x is not used, because it sometimes fires for a
     * request that already has its connection.
     */
    private void connect(int attempts) {
      RequestOptions options =
          new RequestOptions()
              .setMethod(exchange.request().method())
              .setURI(exchange.target().uri())
              .setFollowRedirects(false);
      connectsBefore = connects.get();
      Future<HttpClientRequest> connected = client.request(options);
      if (!connected.isComplete()) {
        stopIfDisconnected();
        waitTimeout = waiting.get().enter(late -> abandon(), waitedMillis);
      }
      connected.onComplete(
          request -> connected(request, attempts), failure -> failed(failure, attempts));
    }

    private void abandon() {
      abandoned = true;
      stopWaiting();
      left(null);
      if (isConnecting()) {
        connectTimedOut();
      } else {
        unavailable("No connection to the origin became free in time");
      }
    }

    /**
     * Returns whether the request waits for the origin to accept a connection: more connections are
     * allowed, and none was established since the wait began. Otherwise all connections are in use,
     * or those that are closed after each response are replaced.
     */
    private boolean isConnecting() {
      return openConnections.get() < upstream.connections() && connects.get() == connectsBefore;
    }

    private void stopWaiting() {
      if (waitTimeout != null) {
        waitTimeout.remove();
        waitTimeout = null;
      }
    }

    private void connected(HttpClientRequest request, int attempts) {
      stopWaiting();
      if (abandoned) {
        giveBack(request);
        return;
      }
      if (upstream.http2()) {
        if (attempts > 1 && !OriginConnection.isUsable(request.connection())) {
          giveBack(request);
          // The event loop of the connection first completes its removal from the pool.
          VertxInternals.ofOrigin(request.connection())
              .executor()
              .execute(() -> context.runOnContext(now -> connectAgain(attempts - 1)));
          return;
        }
        remainingAttempts = attempts - 1;
        // The number of exchanges is not limited, only that of waiting requests.
        releaseSlot();
      }
      forwarding = new Forwarding(exchange, upstream, added, request, inFlight.get(), this);
      forwarding.start();
    }

    /** Returns a connection to the pool; nothing was sent on it. */
    private void giveBack(HttpClientRequest request) {
      request.exceptionHandler(reset -> LOG.debug("connection no longer needed", reset));
      var unused = request.reset();
    }

    private void connectAgain(int attempts) {
      if (!abandoned) {
        connect(attempts);
      }
    }

    @Override
    public boolean mayResend() {
      return remainingAttempts > 0 && !abandoned;
    }

    @Override
    public void resend() {
      forwarding = null;
      if (takeSlot()) {
        connect(remainingAttempts);
      } else {
        release();
        unavailable("Too many requests are waiting for the origin");
      }
    }

    private void failed(Throwable failure, int attempts) {
      stopWaiting();
      if (isSettingsTimeout(failure)) {
        warnings.noSettings(upstream.connectTimeout());
      } else if (isTimeout(failure)) {
        warnings.connectTimedOut(upstream);
      }
      if (abandoned) {
        return;
      }
      if (failure instanceof HttpClosedException && attempts > 1) {
        // The origin closed a pooled connection just as it was acquired; nothing was sent.
        connect(attempts - 1);
        return;
      }
      left(null);
      unreachable(failure);
    }

    @Override
    public void surplus() {
      OriginClient.this.surplus();
    }

    @Override
    public void failed(Throwable failure) {
      warnings.exchangeFailed(failure);
    }

    @Override
    public void left(InFlightRequests.@Nullable TimeoutKind timeoutKind) {
      if (timeoutKind == InFlightRequests.TimeoutKind.CLIENT) {
        slowClients.increment();
      }
      release();
    }

    private void unreachable(Throwable failure) {
      if (failure instanceof ConnectionPoolTooBusyException) {
        unavailable("Too many requests are waiting for the origin");
      } else if (isTimeout(failure)) {
        connectTimedOut();
      } else {
        if (!(failure instanceof HttpClosedException)) {
          warnings.unreachable(upstream, failure);
        }
        unreached.run();
        exchange.respondWithError(502, "Bad Gateway", "The origin is unreachable");
      }
    }

    private void connectTimedOut() {
      unreached.run();
      exchange.respondWithError(504, "Gateway Timeout", "Connecting to the origin timed out");
    }

    private static boolean isTimeout(Throwable failure) {
      return isSettingsTimeout(failure)
          || failure instanceof TimeoutException
          || failure instanceof ConnectTimeoutException
          || failure instanceof SslHandshakeTimeoutException
          || failure.getCause() instanceof SslHandshakeTimeoutException;
    }

    private static boolean isSettingsTimeout(Throwable failure) {
      return failure instanceof Http2Exception http2
          && http2.error() == Http2Error.SETTINGS_TIMEOUT;
    }

    private void unavailable(String detail) {
      unavailable.increment();
      unreached.run();
      exchange.unavailable(detail, Math.max(1, upstream.waiting().timeout().toSeconds()));
    }
  }
}
