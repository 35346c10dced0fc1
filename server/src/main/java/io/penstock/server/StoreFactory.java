package io.penstock.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.NanoClock;
import io.penstock.Store;
import io.penstock.inprocess.InProcessStore;
import io.penstock.redis.RedisStore;
import io.penstock.redis.RedisStoreBuilder;
import io.penstock.redis.metrics.StoreMeters;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The store that settings ask for.
 *
 * @param kind for people
 * @param available whether it can be asked now
 * @param problem why it can't be asked; empty if it can
 */
record StoreFactory(Store store, String kind, BooleanSupplier available, Supplier<String> problem)
    implements AutoCloseable {
  /**
   * @param clock of buckets in process; Redis has its own
   */
  static StoreFactory open(Settings settings, MeterRegistry registry, NanoClock clock) {
    StoreFactory store = make(settings, registry, clock);
    Gauge.builder("penstock.store.available", () -> store.available.getAsBoolean() ? 1 : 0)
        .description("Whether the store can be asked: 1 or 0")
        .register(registry);
    return store;
  }

  private static StoreFactory make(Settings settings, MeterRegistry registry, NanoClock clock) {
    return settings
        .redis()
        .map(
            url -> {
              RedisStoreBuilder builder =
                  RedisStore.builder()
                      .deadline(settings.redisDeadline())
                      .keyPrefix(settings.redisPrefix())
                      .observer(new StoreMeters(registry));
              settings.nodes().ifPresent(builder::nodes);
              RedisStore store = builder.connect(url);
              StoreMeters.watch(store, registry);
              return new StoreFactory(store, "redis", store::isAvailable, store::unavailableReason);
            })
        .orElseGet(
            () -> {
              InProcessStore store =
                  InProcessStore.builder().maxKeys(settings.maxKeys()).clock(clock).build();
              count(store, registry);
              return new StoreFactory(store, "in-process", () -> true, () -> "");
            });
  }

  private static void count(InProcessStore store, MeterRegistry registry) {
    Gauge.builder("penstock.store.keys", store, InProcessStore::keys)
        .description("Buckets that are kept in process")
        .register(registry);
    FunctionCounter.builder("penstock.store.evictions", store, InProcessStore::evictions)
        .description("Buckets that were given up for others before they were full")
        .register(registry);
    FunctionCounter.builder("penstock.store.forgiven.tokens", store, InProcessStore::forgivenTokens)
        .description("What was missing in them")
        .register(registry);
  }

  @Override
  public void close() {
    store.close();
  }
}
