package io.penstock.spring;

import io.penstock.policy.metrics.DecisionMeters;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Advances the meters periodically, on a daemon thread. */
final class MinuteClock implements AutoCloseable {
  private final ScheduledThreadPoolExecutor timer;

  MinuteClock(DecisionMeters meters) {
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "penstock-meters");
              thread.setDaemon(true);
              return thread;
            });
    var unused =
        timer.scheduleAtFixedRate(
            meters::pass,
            DecisionMeters.PERIOD_MILLIS,
            DecisionMeters.PERIOD_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
