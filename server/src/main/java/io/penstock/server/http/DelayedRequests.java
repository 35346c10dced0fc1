package io.penstock.server.http;

import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.Gate;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** Holds back a limited number of requests until their tokens are available. Thread-safe. */
public final class DelayedRequests {
  private static final RepeatedWarning FULL =
      new RepeatedWarning(LoggerFactory.getLogger(DelayedRequests.class));

  private final Vertx vertx;
  private final Gate gate;
  private final int max;
  private final AtomicInteger held = new AtomicInteger();

  /**
   * @param gate refunds the requests that are not carried out
   * @param max the max number of requests that are held back; further ones are denied
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
   * the request is refunded instead. If the limit is reached, it is refunded and denied.
   *
   * @param denied called with the denial if the limit is reached
   */
  public void hold(
      HttpServerResponse response,
      Request request,
      Verdict verdict,
      Runnable due,
      Consumer<Verdict> denied) {
    if (response.closed()) {
      gate.refund(verdict);
      return;
    }
    if (held.incrementAndGet() > max) {
      held.decrementAndGet();
      // With a limit of 0, the warm-up and some operators turn delays off on purpose.
      if (max > 0) {
        FULL.warn(
            "max_delayed is reached (" + max + "); further requests are denied instead of delayed");
      }
      denied.accept(gate.denyDelayed(request, verdict));
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
