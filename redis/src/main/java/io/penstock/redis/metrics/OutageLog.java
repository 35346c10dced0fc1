package io.penstock.redis.metrics;

import io.penstock.redis.RedisOutage;
import io.penstock.redis.UnavailableReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Logs when Redis becomes unavailable, with the reason, and when it recovers. Thread-safe. An
 * outage with the same reason as one in the last minute is not logged but counted, so that a server
 * that fails again and again doesn't fill the log.
 */
final class OutageLog {
  private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Consumer<String> warnings;
  private final Consumer<String> recoveries;
  private final LongSupplier clock;
  private final Map<UnavailableReason, Long> loggedNanos = new EnumMap<>(UnavailableReason.class);
  private boolean recoveryDue = true;
  private int suppressed;

  OutageLog(Consumer<String> warnings, Consumer<String> recoveries, LongSupplier clock) {
    this.warnings = warnings;
    this.recoveries = recoveries;
    this.clock = clock;
  }

  synchronized void unavailable(RedisOutage outage) {
    long now = clock.getAsLong();
    Long logged = loggedNanos.get(outage.reason());
    if (logged != null && now - logged < INTERVAL_NANOS) {
      suppressed++;
      return;
    }
    loggedNanos.put(outage.reason(), now);
    warnings.accept(
        outage
            + "; rules fall back to their on_store_failure policy"
            + (suppressed == 0 ? "" : " (" + suppressed + " more outages since the last message)"));
    suppressed = 0;
    recoveryDue = true;
  }

  synchronized void available() {
    if (recoveryDue) {
      recoveries.accept("Redis is available");
      recoveryDue = false;
    }
  }
}
