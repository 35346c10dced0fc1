package io.penstock.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How long decisions take, the store included. Thread-safe. */
public final class DecisionTimes {
  private static final Duration[] BUCKETS = {
    Duration.ofNanos(1_000),
    Duration.ofNanos(2_500),
    Duration.ofNanos(5_000),
    Duration.ofNanos(10_000),
    Duration.ofNanos(50_000),
    Duration.ofNanos(100_000),
    Duration.ofNanos(250_000),
    Duration.ofNanos(500_000),
    Duration.ofMillis(1),
    Duration.ofNanos(2_500_000),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
  };

  private final Timer timer;

  public DecisionTimes(MeterRegistry registry) {
    this.timer =
        Timer.builder("penstock.decision")
            .description("The time that decisions took")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
  }

  /** A decision took so long. */
  public void took(long nanos) {
    timer.record(nanos, TimeUnit.NANOSECONDS);
  }
}
