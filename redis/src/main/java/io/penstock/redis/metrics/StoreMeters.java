package io.penstock.redis.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.penstock.redis.LeaseStats;
import io.penstock.redis.RedisObserver;
import io.penstock.redis.RedisOutage;
import io.penstock.redis.RedisStore;
import io.penstock.redis.UnavailableReason;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes metrics of the store in Redis, and logs changes of its state. Thread-safe. */
public final class StoreMeters implements RedisObserver {
  private static final Logger LOG = LoggerFactory.getLogger(StoreMeters.class);

  private static final double TOKEN = 1_000;

  private final MeterRegistry registry;
  private final Timer calls;
  private final DistributionSummary decisionsPerCall;
  private final Counter failures;
  private final Map<Degradation, Counter> degraded = new EnumMap<>(Degradation.class);
  private final Counter cachedDenials;
  private final Counter refunded;
  private final Counter repaired;
  private final Counter leased;
  private final Counter leaseReturned;
  private final Counter leaseExpired;
  private final Counter heated;
  private final Counter cooled;
  private final OutageLog log = new OutageLog();
  private volatile @Nullable UnavailableReason outage;

  public StoreMeters(MeterRegistry registry) {
    this.registry = registry;
    this.calls =
        Timer.builder("penstock.store.call")
            .description("Latency of calls to Redis")
            .publishPercentileHistogram()
            .minimumExpectedValue(Duration.ofNanos(50_000))
            .maximumExpectedValue(Duration.ofSeconds(1))
            .register(registry);
    this.decisionsPerCall =
        DistributionSummary.builder("penstock.store.decisions.per.call")
            .description("Decisions per call to Redis")
            .register(registry);
    this.failures = counter(registry, "call.failures", "Failed calls to Redis");
    this.cachedDenials =
        counter(registry, "cached.denials", "Denials that were served from the denial cache");
    this.refunded =
        counter(registry, "refunded", "Charges of lost or denied requests that were refunded");
    this.repaired =
        counter(registry, "repaired", "Foreign values under Penstock keys that were replaced");
    this.leased = counter(registry, "lease.taken", "Tokens that were leased");
    this.leaseReturned = counter(registry, "lease.returned", "Leased tokens that were returned");
    this.leaseExpired = counter(registry, "lease.expired", "Leased tokens that expired unused");
    this.heated = switches(registry, "leased");
    this.cooled = switches(registry, "exact");
    for (UnavailableReason reason : UnavailableReason.values()) {
      Gauge.builder("penstock.store.unavailable", () -> outage == reason ? 1 : 0)
          .description("Whether Redis is unavailable for this reason: 1 or 0")
          .tag("reason", reason.label())
          .register(registry);
    }
    for (Degradation why : Degradation.values()) {
      degraded.put(
          why,
          Counter.builder("penstock.store.degraded")
              .description("Decisions made by a failure policy instead of Redis")
              .tag("reason", why.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder("penstock.store." + name).description(description).register(registry);
  }

  private static Counter switches(MeterRegistry registry, String to) {
    return Counter.builder("penstock.store.lease.switches")
        .description("Switches of keys with consistency auto between leased and exact")
        .tag("to", to)
        .register(registry);
  }

  /** Registers gauges for the leases of a store. */
  public static void watch(RedisStore store, MeterRegistry registry) {
    gauge(registry, "keys", "Keys that this node holds leases on", store, LeaseStats::leases);
    gauge(
        registry,
        "unspent",
        "Leased tokens that this node has not used yet",
        store,
        figures -> figures.unspentThousandths() / TOKEN);
    gauge(
        registry,
        "under.grant",
        "Tokens leased by all nodes on keys leased here, the upper bound of wrong denials",
        store,
        figures -> figures.underGrantThousandths() / TOKEN);
  }

  private static void gauge(
      MeterRegistry registry,
      String name,
      String description,
      RedisStore store,
      ToDoubleFunction<LeaseStats> figure) {
    Gauge.builder("penstock.store.lease." + name, () -> figure.applyAsDouble(store.leases()))
        .description(description)
        .register(registry);
  }

  @Override
  public void leased(String name, long thousandths) {
    leased.increment(thousandths / TOKEN);
  }

  @Override
  public void leaseReturned(String name, long thousandths) {
    leaseReturned.increment(thousandths / TOKEN);
  }

  @Override
  public void leaseExpired(String name, long thousandths) {
    leaseExpired.increment(thousandths / TOKEN);
  }

  @Override
  public void hot(String name, boolean hot) {
    (hot ? heated : cooled).increment();
  }

  @Override
  public void called(int decisions, long nanos) {
    calls.record(nanos, TimeUnit.NANOSECONDS);
    decisionsPerCall.record(decisions);
  }

  @Override
  public void failed(int decisions, Throwable cause) {
    failures.increment();
  }

  @Override
  public void degraded(String name, Degradation why) {
    Counter counter = degraded.get(why);
    if (counter != null) {
      counter.increment();
    }
  }

  @Override
  public void deniedFromCache(String name) {
    cachedDenials.increment();
  }

  @Override
  public void refunded(String name) {
    refunded.increment();
  }

  @Override
  public void repaired(long values) {
    repaired.increment((double) values);
    LOG.warn(
        "Replaced {} foreign values under Penstock keys in Redis; their buckets start empty",
        values);
  }

  @Override
  public void evicting(String policy) {
    LOG.warn(
        "Redis may evict buckets before they expire, which resets them: maxmemory-policy is {}, it"
            + " should be noeviction",
        policy);
  }

  @Override
  public void registrationRejected(String error, int nodes) {
    log.registrationRejected(error, nodes);
  }

  @Override
  public void connecting(String address) {
    log.connecting(address);
    Gauge.builder("penstock.store.info", () -> 1)
        .description("The address of Redis: always 1")
        .tag("address", address)
        .register(registry);
  }

  @Override
  public void available(boolean available) {
    if (available) {
      outage = null;
    }
    log.available(available);
  }

  @Override
  public void unavailable(RedisOutage now) {
    outage = now.reason();
    log.unavailable(now);
  }
}
