package io.penstock.server.envoy;

import io.vertx.core.Vertx;

/** Cancels calls whose message doesn't arrive in time. Thread-safe. */
final class RequestDeadline {
  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final long timeoutMillis;

  RequestDeadline(Vertx vertx, long timeoutMillis) {
    this.vertx = vertx;
    this.timeoutMillis = timeoutMillis;
  }

  /** Starts the time of a call; must be called on its event loop. */
  PendingCall start(Runnable cancel) {
    PendingCall call = new PendingCall();
    // Most messages arrive together with the head, and need no timer.
    vertx.runOnContext(turn -> call.startTimer(cancel));
    return call;
  }

  /** A call whose message has not arrived. Confined to the event loop of the call. */
  final class PendingCall {
    private boolean ended;
    private long timer = NO_TIMER;

    private void startTimer(Runnable cancel) {
      if (!ended) {
        timer =
            vertx.setTimer(
                timeoutMillis,
                late -> {
                  ended = true;
                  cancel.run();
                });
      }
    }

    /**
     * Must be called when the message has arrived or the call has failed.
     *
     * @return whether the call was pending
     */
    boolean end() {
      boolean pending = !ended;
      ended = true;
      if (timer != NO_TIMER) {
        vertx.cancelTimer(timer);
      }
      return pending;
    }
  }
}
