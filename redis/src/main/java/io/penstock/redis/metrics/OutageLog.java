package io.penstock.redis.metrics;

import io.penstock.redis.RedisObserver;
import io.penstock.redis.RedisOutage;
import io.penstock.redis.UnavailableReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when Redis becomes unavailable, with the reason, when it recovers, and when it rejects the
 * registration of this node. Thread-safe. An outage with the same reason as one that was logged in
 * the last minute is logged only if it lasts, after about 5 seconds. Otherwise it is counted, so
 * that a server that fails again and again doesn't fill the log. The recovery from each outage that
 * was logged is logged too.
 */
public final class OutageLog implements RedisObserver {
  private static final Logger LOG = LoggerFactory.getLogger(OutageLog.class);
  private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Outages that last longer are logged; the store repeats its report every 5 seconds. */
  private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(4);

  private static final long MAX_MILLIS_SHOWN_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MAX_SECONDS_SHOWN_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final Consumer<String> warnings;
  private final Consumer<String> recoveries;
  private final LongSupplier clock;
  private final Map<UnavailableReason, Long> loggedNanos = new EnumMap<>(UnavailableReason.class);

  /** The reason of the current outage, if it is logged. */
  private @Nullable UnavailableReason logged;

  /** The reason of the current outage, if it is counted but not logged. */
  private @Nullable UnavailableReason counted;

  /** The last report of the current outage; null if Redis is available. */
  private @Nullable RedisOutage current;

  /** The address of the server or servers; empty if it is unknown. */
  private String address = "";

  private long sinceNanos;
  private boolean recoveryDue = true;
  private int suppressed;

  public OutageLog() {
    this(LOG::warn, LOG::info, System::nanoTime);
  }

  OutageLog(Consumer<String> warnings, Consumer<String> recoveries, LongSupplier clock) {
    this.warnings = warnings;
    this.recoveries = recoveries;
    this.clock = clock;
  }

  @Override
  public synchronized void connecting(String to) {
    address = to;
  }

  @Override
  public synchronized void unavailable(RedisOutage outage) {
    long now = clock.getAsLong();
    if (current == null) {
      sinceNanos = now;
    }
    current = outage;
    UnavailableReason reason = outage.reason();
    if (reason == logged) {
      return;
    }
    Long lastNanos = loggedNanos.get(reason);
    boolean recent = lastNanos != null && now - lastNanos < INTERVAL_NANOS;
    boolean lasting = logged == null && now - sinceNanos >= LASTING_NANOS;
    if (recent && !lasting) {
      suppressed += reason == counted ? 0 : 1;
      counted = reason;
      return;
    }
    int others = reason == counted ? suppressed - 1 : suppressed;
    loggedNanos.put(reason, now);
    warnings.accept(
        outage
            + (lasting ? " for " + duration(now - sinceNanos) : "")
            + "; rules fall back to their on_store_failure policy"
            + (others == 0 ? "" : " (" + others(others) + " since the last message)"));
    suppressed = 0;
    logged = reason;
    counted = null;
    recoveryDue = true;
  }

  private static String others(int count) {
    return count == 1 ? "1 more outage" : count + " more outages";
  }

  private static String duration(long nanos) {
    if (nanos < MAX_MILLIS_SHOWN_NANOS) {
      return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }
    return nanos < MAX_SECONDS_SHOWN_NANOS
        ? TimeUnit.NANOSECONDS.toSeconds(nanos) + " s"
        : TimeUnit.NANOSECONDS.toMinutes(nanos) + " min";
  }

  @Override
  public void registrationRejected(String error, int nodes) {
    warnings.accept(
        "Cannot register this node in Redis ("
            + error
            + "); while Redis is unavailable, rules with share: true use 1/"
            + nodes
            + " of their limits. Check the permissions of the user, or set the number of nodes");
  }

  @Override
  public synchronized void available(boolean available) {
    if (!available) {
      return;
    }
    if (recoveryDue) {
      recoveries.accept(current == null ? redisAt(address) + " is available" : recovery(current));
      recoveryDue = false;
    }
    current = null;
    logged = null;
    counted = null;
  }

  private static String redisAt(String address) {
    return address.isEmpty() ? "Redis" : "Redis at " + address;
  }

  private String recovery(RedisOutage outage) {
    return redisAt(outage.address())
        + " is available again after "
        + duration(clock.getAsLong() - sinceNanos);
  }
}
