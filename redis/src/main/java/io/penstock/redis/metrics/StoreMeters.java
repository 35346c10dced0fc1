package io.penstock.redis.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.penstock.redis.LeaseStats;
import io.penstock.redis.RedisObserver;
import io.penstock.redis.RedisStore;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what goes on between the process and Redis, and logs when that changes. Thread-safe. */
public final class StoreMeters implements RedisObserver {
  private static final Logger LOG = LoggerFactory.getLogger(StoreMeters.class);

  private static final double TOKEN = 1_000;

  private final Timer calls;
  private final DistributionSummary decisionsPerCall;
  private final Counter failures;
  private final Map<Degradation, Counter> degraded = new EnumMap<>(Degradation.class);
  private final Counter remembered;
  private final Counter givenBack;
  private final Counter repaired;
  private final Counter leased;
  private final Counter leaseReturned;
  private final Counter leaseExpired;
  private final Counter heated;
  private final Counter cooled;

  public StoreMeters(MeterRegistry registry) {
    this.calls =
        Timer.builder("penstock.store.call")
            .description("The time that calls of Redis took")
            .publishPercentileHistogram()
            .minimumExpectedValue(Duration.ofNanos(50_000))
            .maximumExpectedValue(Duration.ofSeconds(1))
            .register(registry);
    this.decisionsPerCall =
        DistributionSummary.builder("penstock.store.decisions.per.call")
            .description("How many decisions a call of Redis was for")
            .register(registry);
    this.failures = counter(registry, "call.failures", "Calls of Redis that failed");
    this.remembered = counter(registry, "remembered", "Denials that Redis was not asked for");
    this.givenBack =
        counter(registry, "given.back", "Charges of lost or denied requests that were undone");
    this.repaired = counter(registry, "repaired", "Values under our keys that were not ours");
    this.leased = counter(registry, "lease.taken", "Tokens that were taken in advance");
    this.leaseReturned =
        counter(registry, "lease.returned", "Tokens of leases that were given back");
    this.leaseExpired = counter(registry, "lease.expired", "Tokens of leases that ended unused");
    this.heated = switches(registry, "leased");
    this.cooled = switches(registry, "exact");
    for (Degradation why : Degradation.values()) {
      degraded.put(
          why,
          Counter.builder("penstock.store.degraded")
              .description("Decisions that Redis did not make")
              .tag("reason", why.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder("penstock.store." + name).description(description).register(registry);
  }

  private static Counter switches(MeterRegistry registry, String to) {
    return Counter.builder("penstock.store.lease.switches")
        .description("Keys of rules with consistency auto that became leased or exact")
        .tag("to", to)
        .register(registry);
  }

  /** Shows what is held on lease. */
  public static void watch(RedisStore store, MeterRegistry registry) {
    gauge(registry, "keys", "Keys that this node holds tokens of", store, LeaseStats::leases);
    gauge(
        registry,
        "unspent",
        "Tokens that this node could still grant by itself",
        store,
        figures -> figures.unspent() / TOKEN);
    gauge(
        registry,
        "under.grant",
        "Tokens that all nodes hold of the keys leased here: more are never denied wrongly",
        store,
        figures -> figures.underGrant() / TOKEN);
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
  public void remembered(String name) {
    remembered.increment();
  }

  @Override
  public void givenBack(String name) {
    givenBack.increment();
  }

  @Override
  public void repaired(long values) {
    repaired.increment((double) values);
    LOG.warn("{} values under our keys in Redis were not ours, and were put right", values);
  }

  @Override
  public void evicting(String policy) {
    LOG.warn(
        "Redis may drop buckets before their time: its maxmemory-policy is {}, noeviction would be"
            + " right",
        policy);
  }

  @Override
  public void available(boolean available) {
    if (available) {
      LOG.info("Redis is available");
    }
  }

  @Override
  public void unavailable(String reason) {
    LOG.warn("Redis is unavailable ({}): the failure policy of each rule decides", reason);
  }
}
