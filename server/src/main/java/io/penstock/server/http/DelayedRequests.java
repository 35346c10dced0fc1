package io.penstock.server.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Requests that wait for their tokens, no more than a given number. Thread-safe. */
public final class DelayedRequests {
  private final Vertx vertx;
  private final int most;
  private final AtomicInteger held = new AtomicInteger();

  public DelayedRequests(Vertx vertx, int most) {
    this.vertx = vertx;
    this.most = most;
  }

  public int held() {
    return held.get();
  }

  /**
   * Holds a request back.
   *
   * @param due called after {@code delay}, unless the client has left
   * @param gone called if it has
   * @return whether there was room for it; if not, neither is called
   */
  public boolean hold(HttpServerResponse response, Duration delay, Runnable due, Runnable gone) {
    if (response.closed()) {
      gone.run();
      return true;
    }
    if (held.incrementAndGet() > most) {
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
            gone.run();
          }
        });
    return true;
  }
}
