package io.penstock.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.NanoClock;
import io.penstock.Store;
import io.penstock.StoreException;
import io.penstock.inprocess.InProcessStore;
import io.penstock.redis.RedisStore;
import io.penstock.redis.RedisStoreBuilder;
import io.penstock.redis.metrics.StoreMeters;
import io.penstock.server.admin.LiveFigures;
import java.util.Optional;

/**
 * The store selected by the settings.
 *
 * @param figures what the stream of live figures reports about the store
 * @param warmUp makes the first decisions of a cold JVM meet their deadline; changes no bucket
 */
record StoreFactory(Store store, LiveFigures.StoreFigures figures, Runnable warmUp)
    implements AutoCloseable {
  /**
   * Opens the store, and waits for Redis as the settings require.
   *
   * @param clock the clock of the in-process store; Redis uses its server's clock
   */
  static StoreFactory open(Settings settings, MeterRegistry registry, NanoClock clock) {
    StoreFactory store = create(settings, registry, clock);
    Gauge.builder("penstock.store.available", () -> store.store.isAvailable() ? 1 : 0)
        .description("Whether the store is available: 1 or 0")
        .register(registry);
    return store;
  }

  private static StoreFactory create(Settings settings, MeterRegistry registry, NanoClock clock) {
    return settings
        .redis()
        .map(
            url -> {
              RedisStoreBuilder builder =
                  RedisStore.builder()
                      .deadline(settings.redisDeadline())
                      .startTimeout(settings.redisStartTimeout())
                      .failFast(settings.redisFailsFast())
                      .keyPrefix(settings.redisPrefix())
                      .tls(settings.redisTls())
                      .observer(new StoreMeters(registry));
              settings.nodes().ifPresent(builder::nodes);
              RedisStore store = connect(builder, url);
              StoreMeters.watch(store, registry);
              return new StoreFactory(
                  store,
                  new LiveFigures.StoreFigures(
                      store, store::outage, Optional::empty, () -> Optional.of(store.leases())),
                  store::warmUp);
            })
        .orElseGet(
            () -> {
              InProcessStore store =
                  InProcessStore.builder().maxKeys(settings.maxKeys()).clock(clock).build();
              registerMeters(store, registry);
              return new StoreFactory(
                  store,
                  new LiveFigures.StoreFigures(
                      store, Optional::empty, () -> Optional.of(store.keys()), Optional::empty),
                  () -> {});
            });
  }

  private static RedisStore connect(RedisStoreBuilder builder, String url) {
    try {
      return builder.connect(url);
    } catch (StoreException unavailable) {
      throw StartException.unusable(Setting.REDIS, unavailable);
    }
  }

  private static void registerMeters(InProcessStore store, MeterRegistry registry) {
    Gauge.builder("penstock.store.keys", store, InProcessStore::keys)
        .description("Buckets in the in-process store")
        .register(registry);
    FunctionCounter.builder("penstock.store.evictions", store, InProcessStore::evictions)
        .description("Buckets that were evicted before they were full")
        .register(registry);
    FunctionCounter.builder("penstock.store.forgiven.tokens", store, InProcessStore::forgivenTokens)
        .description("Tokens that were missing from evicted buckets")
        .register(registry);
  }

  @Override
  public void close() {
    store.close();
  }
}
