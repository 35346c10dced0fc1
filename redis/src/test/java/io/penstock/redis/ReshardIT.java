package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Slots are migrated between servers under load: every request is decided exactly once by Redis.
 */
class ReshardIT {
  private static final int BURST = 2_000;
  private static final Limit SLOW = Limit.perDay(1).burst(10);

  private static ClusterProcesses cluster;

  private final Counts counts = new Counts();
  private final AtomicLong callsWithSeveralSlots = new AtomicLong();

  @BeforeAll
  static void start() {
    cluster = new ClusterProcesses(3, 0);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private RedisStore connect(Duration deadline) {
    RedisStore store =
        RedisStore.builder()
            .deadline(deadline)
            .startTimeout(Duration.ofSeconds(20))
            .denialMemory(false)
            .observer(counts)
            .callObserver(batch -> callsWithSeveralSlots.addAndGet(batch.onlySlot() < 0 ? 1 : 0))
            .connect(cluster.url());
    await("available").until(store::isAvailable);
    return store;
  }

  private static int slotOf(String key) {
    return SlotTable.slotOf("{" + key + "}");
  }

  private static RedisProcess primary(int number) {
    return cluster.primaries().get(number);
  }

  @Test
  @Tag("slow")
  void slotsMigrateUnderLoad_nothingIsGrantedTwiceOrDegraded() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      keys.add(cluster.keyAt(i % 3, 20 + i / 3));
    }
    List<String> moving = List.of(keys.get(0), keys.get(3), keys.get(6));
    RedisProcess newcomer = ClusterProcesses.start();
    cluster.join(newcomer);
    // A server that loses its last slot becomes a replica of the new owner, so give it one that
    // stays.
    cluster.move(slotOf(cluster.keyAt(0, 90)), newcomer);
    try (RedisStore store = connect(Duration.ofSeconds(10));
        RedisStore another = connect(Duration.ofSeconds(10));
        ClusterLoad load = new ClusterLoad(List.of(store, another), keys, BURST, 4)) {
      load.awaitGranted(BURST / 20);
      int moves = 0;
      List<RedisProcess> round = List.of(primary(1), newcomer, primary(2), primary(0));
      while (load.minGranted() < BURST * 9 / 10) {
        RedisProcess to = round.get(moves % round.size());
        moving.forEach(key -> cluster.move(slotOf(key), to));
        moves++;
      }
      load.awaitUsedUp();
      load.awaitExact("and nothing more", 5, key -> true);
      load.stop();
      assertThat(moves).isGreaterThan(3);
      load.report("3 slots moved, " + moves + " times", moving::contains);
      assertThat(load.maxOverGranted()).isZero();
      assertThat(load.mostFalselyDenied()).isZero();
      assertThat(load.degraded(key -> true)).isZero();
      assertThat(counts.failures).isEmpty();
      assertThat(callsWithSeveralSlots).hasPositiveValue();
    }
    assertThat(cluster.keysWithoutTtl()).isEmpty();
  }

  @Test
  @Tag("slow")
  void slotsOfARequestMigrateUnderLoad_eachIsChargedOnce() throws Exception {
    List<String> keys = List.of(cluster.keyAt(0, 60), cluster.keyAt(0, 61), cluster.keyAt(0, 62));
    AtomicLong granted = new AtomicLong();
    AtomicLong degraded = new AtomicLong();
    AtomicLong denied = new AtomicLong();
    AtomicBoolean stopped = new AtomicBoolean();
    List<Thread> callers = new ArrayList<>();
    try (RedisStore store = connect(Duration.ofSeconds(10));
        RedisStore another = connect(Duration.ofSeconds(10))) {
      for (int i = 0; i < 8; i++) {
        RedisStore own = i % 2 == 0 ? store : another;
        Claim[] claims = {
          wide(own).at(keys.get(0)), narrow(own).at(keys.get(1)), wide(own).at(keys.get(2))
        };
        Thread caller =
            new Thread(
                () -> {
                  while (!stopped.get()) {
                    Decision decision = RateLimiter.all(claims).take();
                    (decision.degraded() ? degraded : decision.allowed() ? granted : denied)
                        .incrementAndGet();
                  }
                });
        callers.add(caller);
        caller.start();
      }
      int moves = 0;
      while (granted.get() < BURST * 9 / 10 || moves < 4) {
        RedisProcess to = primary((1 + moves) % 3);
        for (String key : keys.subList(moves % 3, 3)) {
          cluster.move(slotOf(key), to);
        }
        moves++;
      }
      await("used up").until(() -> granted.get() >= BURST && denied.get() > 0);
      stopped.set(true);
      for (Thread caller : callers) {
        caller.join(60_000);
      }
      System.out.printf(
          "3 slots of a request moved, %d times: %d of %d granted, %d refunds%n",
          moves, granted.get(), BURST, counts.refunded.get());
      assertThat(granted).hasValue(BURST);
      assertThat(degraded).hasValue(0);
      assertThat(counts.failures).isEmpty();
      for (String key : List.of(keys.get(0), keys.get(2))) {
        await("given back")
            .until(() -> Math.floor(wide(store).peek(key).remaining()) == 10 * BURST - BURST);
      }
      keys.forEach(key -> cluster.move(slotOf(key), primary(0)));
    } finally {
      stopped.set(true);
    }
  }

  private static RateLimiter wide(RedisStore store) {
    return RateLimiter.on(store, "wide", Limit.perDay(10).burst(10 * BURST));
  }

  private static RateLimiter narrow(RedisStore store) {
    return RateLimiter.on(store, "narrow", Limit.perDay(1).burst(BURST));
  }

  /** Half of the buckets of a slot are on one server and half on another, permanently. */
  @Test
  void slotHalfMigrated_isRequestedOneByOne() {
    String key = cluster.keyAt(0, 40);
    int slot = slotOf(key);
    try (RedisStore store = connect(Duration.ofSeconds(10))) {
      RateLimiter here = RateLimiter.on(store, "here", SLOW);
      RateLimiter there = RateLimiter.on(store, "there", SLOW);
      RateLimiter fresh = RateLimiter.on(store, "fresh", SLOW);
      RateLimiter window =
          RateLimiter.on(store, "window", Limit.fixedWindow(10, Duration.ofDays(1)));
      assertThat(RateLimiter.all(here.at(key), there.at(key)).take().allowed()).isTrue();
      cluster.beginMove(slot, primary(0), primary(1));
      cluster.moveKey("penstock:1t:there:{" + key + "}", primary(0), primary(1));

      assertThat(here.take(key).remaining()).as("not moved yet").isEqualTo(8);
      assertThat(there.take(key).remaining()).as("moved").isEqualTo(8);
      assertThat(fresh.take(key).remaining()).as("new buckets start there").isEqualTo(9);
      Decision all =
          RateLimiter.all(here.at(key), there.at(key), fresh.at(key), window.at(key, 4)).take();
      assertThat(all.allowed()).isTrue();
      assertThat(all.degraded()).isFalse();
      assertThat(all.results()).extracting(Decision::remaining).containsExactly(7.0, 7.0, 8.0, 6.0);

      Decision denied = RateLimiter.all(here.at(key), there.at(key, 8), window.at(key)).take();
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.degraded()).isFalse();
      await("given back").until(() -> here.peek(key).remaining() == 7);
      assertThat(window.peek(key).remaining()).isEqualTo(6);

      List<CompletableFuture<Decision>> together = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        RateLimiter one = List.of(here, there, fresh).get(i % 3);
        Claim[] claims =
            i % 5 == 0 ? new Claim[] {here.at(key), there.at(key)} : new Claim[] {one.at(key)};
        together.add(RateLimiter.all(claims).takeAsync().toCompletableFuture());
      }
      for (CompletableFuture<Decision> each : together) {
        assertThat(each.orTimeout(10, TimeUnit.SECONDS).join().degraded()).isFalse();
      }
      cluster.moveKeys(slot, primary(0), primary(1));
      cluster.endMove(slot, primary(0), primary(1));
      assertThat(here.take(key, 0).degraded()).isFalse();
      assertThat(counts.failures).isEmpty();
      cluster.move(slot, primary(0));
    }
  }
}
