package io.penstock.server.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Holds back a limited number of requests until their tokens are available. Thread-safe. */
public final class DelayedRequests {
  private final Vertx vertx;
  private final int max;
  private final AtomicInteger held = new AtomicInteger();

  public DelayedRequests(Vertx vertx, int max) {
    this.vertx = vertx;
    this.max = max;
  }

  public int held() {
    return held.get();
  }

  /**
   * Holds a request back.
   *
   * @param due called after {@code delay}, unless the client has disconnected
   * @param disconnected called if the client disconnects before that
   * @return false if the limit is reached; then neither callback is called
   */
  public boolean hold(
      HttpServerResponse response, Duration delay, Runnable due, Runnable disconnected) {
    if (response.closed()) {
      disconnected.run();
      return true;
    }
    if (held.incrementAndGet() > max) {
      held.decrementAndGet();
      return false;
    }
    long timer =
        vertx.setTimer(
            Math.max(1, delay.toMillis()),
            over -> {
              held.decrementAndGet();
              response.closeHandler(null);
              due.run();
            });
    response.closeHandler(
        closed -> {
          if (vertx.cancelTimer(timer)) {
            held.decrementAndGet();
            disconnected.run();
          }
        });
    return true;
  }
}
