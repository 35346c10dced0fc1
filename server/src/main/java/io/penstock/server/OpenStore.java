package io.penstock.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.Store;
import io.penstock.inprocess.InProcessStore;
import io.penstock.redis.RedisStore;
import io.penstock.redis.RedisStoreBuilder;
import io.penstock.redis.metrics.StoreMeters;
import java.util.function.BooleanSupplier;

/**
 * The store that settings ask for.
 *
 * @param kind for people
 * @param available whether it can be asked now
 */
record OpenStore(Store store, String kind, BooleanSupplier available) implements AutoCloseable {
  static OpenStore open(Settings settings, MeterRegistry registry) {
    OpenStore store = make(settings, registry);
    Gauge.builder("penstock.store.available", () -> store.available.getAsBoolean() ? 1 : 0)
        .description("Whether the store can be asked: 1 or 0")
        .register(registry);
    return store;
  }

  private static OpenStore make(Settings settings, MeterRegistry registry) {
    return settings
        .redis()
        .map(
            uri -> {
              RedisStoreBuilder builder =
                  RedisStore.builder()
                      .deadline(settings.redisDeadline())
                      .keyPrefix(settings.redisPrefix())
                      .observer(new StoreMeters(registry));
              settings.nodes().ifPresent(builder::nodes);
              RedisStore store = builder.connect(uri);
              return new OpenStore(store, "redis", store::isAvailable);
            })
        .orElseGet(
            () ->
                new OpenStore(
                    InProcessStore.builder().maxKeys(settings.maxKeys()).build(),
                    "in-process",
                    () -> true));
  }

  @Override
  public void close() {
    store.close();
  }
}
