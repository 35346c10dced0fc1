package io.penstock.server.http;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.Gate;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.atomic.AtomicInteger;

/** Holds back a limited number of requests until their tokens are available. Thread-safe. */
public final class DelayedRequests {
  /** The detail of the response if the limit is reached. */
  public static final String FULL_DETAIL = "Too many requests are being held back";

  private final Vertx vertx;
  private final Gate gate;
  private final int max;
  private final AtomicInteger held = new AtomicInteger();

  /**
   * @param gate refunds the requests that are not carried out
   * @param max the max number of requests that are held back
   */
  public DelayedRequests(Vertx vertx, Gate gate, int max) {
    this.vertx = vertx;
    this.gate = gate;
    this.max = max;
  }

  public int held() {
    return held.get();
  }

  /**
   * Calls {@code due} after the delay of an allowed request. If the client disconnects before that,
   * or the limit is reached, the request is refunded instead.
   *
   * @param full called if the limit is reached, to respond with 503 and {@link #FULL_DETAIL}
   */
  public void hold(HttpServerResponse response, Verdict verdict, Runnable due, Runnable full) {
    if (response.closed()) {
      gate.refund(verdict);
      return;
    }
    if (held.incrementAndGet() > max) {
      held.decrementAndGet();
      gate.refund(verdict);
      full.run();
      return;
    }
    long timer =
        vertx.setTimer(
            Math.max(1, verdict.delay().toMillis()),
            over -> {
              held.decrementAndGet();
              response.closeHandler(null);
              due.run();
            });
    response.closeHandler(
        closed -> {
          if (vertx.cancelTimer(timer)) {
            held.decrementAndGet();
            gate.refund(verdict);
          }
        });
  }
}
