package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How a store connects, reconnects and shuts down. */
@Tag("full")
class StartIT {
  private static final Limit LIMIT = Limit.perSecond(1_000).burst(1_000);

  private final Counts counts = new Counts();
  private final RedisProcess redis = RedisProcess.start();

  @AfterEach
  void stop() {
    redis.close();
  }

  private RedisStoreBuilder builder() {
    return RedisStore.builder().observer(counts).startTimeout(Duration.ofMillis(200));
  }

  private static void awaitExact(RateLimiter limiter) {
    await("exact").until(() -> !limiter.take("k").degraded());
  }

  @Test
  void connect_redisUnavailable_isDegradedUntilItIsAvailable() {
    redis.kill();
    try (RedisStore store =
        builder().deadline(Duration.ofSeconds(5)).connect(RedisURI.create(redis.url()))) {
      RateLimiter limiter = RateLimiter.on(store, "x", LIMIT);
      assertThat(limiter.take("k").degraded()).isTrue();
      assertThat(store.isAvailable()).isFalse();
      redis.restart();
      awaitExact(limiter);
      assertThat(counts.changes).containsExactly(true);
    }
  }

  @Test
  void connect_hostUnknown_isDegraded() {
    try (RedisStore store = builder().connect(RedisURI.create("redis://host.invalid:1"))) {
      assertThat(RateLimiter.on(store, "x", LIMIT).take("k").degraded()).isTrue();
    }
  }

  @Test
  void connect_socketWithoutItsTransport_reportsWhatIsMissing() {
    RedisURI uri = RedisURI.create("redis-socket:///tmp/redis.sock");
    assertThatThrownBy(() -> builder().connect(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("netty-transport-native-epoll");
  }

  @Test
  void on_connectionOfTheApplication_recoversWithIt() {
    RedisClient client = RedisClient.create(redis.url());
    client.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .build());
    var connection = client.connect(ByteArrayCodec.INSTANCE);
    try (RedisStore store = builder().on(connection)) {
      RateLimiter limiter = RateLimiter.on(store, "x", LIMIT);
      awaitExact(limiter);
      redis.kill();
      await("degraded").until(() -> limiter.take("k").degraded());
      await("unavailable").until(() -> !store.isAvailable());
      redis.restart();
      awaitExact(limiter);
      redis.freeze();
      await("degraded").until(() -> limiter.take("k").degraded());
      redis.thaw();
      awaitExact(limiter);
    }
    assertThat(connection.isOpen()).as("still the application's").isTrue();
    var unused = client.shutdownAsync(0, 0, TimeUnit.MILLISECONDS);
  }

  @Test
  void probes_withoutResponse_leakNoConnections() {
    try (FlakyProxy proxy = new FlakyProxy(redis.port());
        RedisStore store = builder().connect(RedisURI.create(proxy.url()))) {
      RateLimiter limiter = RateLimiter.on(store, "x", LIMIT);
      awaitExact(limiter);
      proxy.lose(true);
      await("unavailable").until(() -> limiter.take("k").degraded() && !store.isAvailable());
      long before = proxy.accepted();
      await("five attempts").until(() -> proxy.accepted() >= before + 5);
      assertThat(proxy.open()).as("one, and one that is being closed").isLessThanOrEqualTo(2);
      proxy.lose(false);
      awaitExact(limiter);
      await("one is left").until(() -> proxy.open() == 1);
    }
  }

  @Test
  void observerThatThrows_changesNothing() {
    RedisObserver hostile =
        new RedisObserver() {
          @Override
          public void called(int decisions, long nanos) {
            throw new IllegalStateException("called");
          }

          @Override
          public void failed(int decisions, Throwable cause) {
            throw new IllegalStateException("failed");
          }

          @Override
          public void degraded(String name, Degradation why) {
            throw new IllegalStateException("degraded");
          }

          @Override
          public void available(boolean available) {
            throw new IllegalStateException("available");
          }
        };
    try (RedisStore store = builder().observer(hostile).connect(RedisURI.create(redis.url()))) {
      RateLimiter limiter = RateLimiter.on(store, "x", LIMIT);
      awaitExact(limiter);
      redis.kill();
      await("degraded").until(() -> limiter.take("k").degraded());
      redis.restart();
      awaitExact(limiter);
    }
  }

  @Test
  void close_whileRedisHangs_completesAllRequests() throws Exception {
    RedisStore store =
        builder().deadline(Duration.ofSeconds(50)).connect(RedisURI.create(redis.url()));
    RateLimiter limiter = RateLimiter.on(store, "x", LIMIT);
    await("available").until(store::isAvailable);
    redis.freeze();
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      decisions.add(limiter.takeAsync("k").toCompletableFuture());
    }
    store.close();
    for (CompletableFuture<Decision> answer : decisions) {
      assertThat(answer.get(1, TimeUnit.MINUTES).degraded()).isTrue();
    }
    store.close();
  }

  @Test
  void take_closedStore_failsAlsoIfTheDenialIsCached() {
    RedisStore store =
        builder().deadline(Duration.ofSeconds(5)).connect(RedisURI.create(redis.url()));
    await("available").until(store::isAvailable);
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1));
    assertThat(limiter.take("k").allowed()).isTrue();
    assertThat(limiter.take("k").allowed()).isFalse();
    store.close();

    assertThatThrownBy(() -> limiter.take("k"))
        .isInstanceOf(StoreException.class)
        .hasMessage("the store is closed");
    assertThatThrownBy(() -> limiter.tryAcquire("other"))
        .isInstanceOf(StoreException.class)
        .hasMessage("the store is closed");
    assertThat(limiter.takeAsync("k").toCompletableFuture())
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .withMessageContaining("the store is closed");
    assertThat(limiter.refundAsync("k", 1).toCompletableFuture())
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .withMessageContaining("the store is closed");
  }

  @Test
  void charge_redisUnavailable_failsWithAddressAndReason() {
    redis.kill();
    try (RedisStore store = builder().connect(RedisURI.create(redis.url()))) {
      await("outage").until(() -> store.outage().isPresent());
      assertThat(RateLimiter.on(store, "x", LIMIT).chargeAsync("k", 1).toCompletableFuture())
          .failsWithin(Duration.ofMinutes(1))
          .withThrowableThat()
          .withMessageContaining(
              "charge failed: Cannot connect to Redis at 127.0.0.1:" + redis.port() + " (");
    }
  }

  @Test
  void connect_evictionPolicy_isReportedOnce() {
    redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    try (RedisStore store = builder().connect(RedisURI.create(redis.url()))) {
      awaitExact(RateLimiter.on(store, "x", LIMIT));
      await("warned").until(() -> counts.evictions.equals(List.of("allkeys-lru")));
    }
  }

  @Test
  void connect_safePolicyOrNoPermission_isNotReported() {
    redis.command("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
    redis.command(
        "ACL", "SETUSER", "limited", "on", ">secret", "~penstock:*", "+@all", "-info", "-config");
    String url = "redis://limited:secret@127.0.0.1:" + redis.port();
    try (RedisStore store = builder().connect(RedisURI.create(redis.url()));
        RedisStore limited = builder().connect(RedisURI.create(url))) {
      awaitExact(RateLimiter.on(store, "x", LIMIT));
      awaitExact(RateLimiter.on(limited, "x", LIMIT));
      assertThat(counts.evictions).isEmpty();
    }
  }
}
