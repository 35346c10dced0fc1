package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Calls that contain several slots of one primary, and servers that reject them. */
class MultiSlotCallIT {
  /** So slow that nothing is refilled during a test. */
  private static final Limit SLOW = Limit.perDay(1).burst(10);

  private static final Duration DAY = Duration.ofDays(1);
  private static final String READ = "redis.pcall('GET', ARGV[i])";
  private static final String REJECTED =
      "{ err = 'ERR Script attempted to access keys that do not hash to the same slot' }";
  private static final AtomicInteger NAMES = new AtomicInteger();

  private static ClusterProcesses cluster;

  private final String name = "x" + NAMES.incrementAndGet();
  private final Counts counts = new Counts();
  private final Queue<Batch> calls = new ConcurrentLinkedQueue<>();
  private volatile Runnable beforeCall = () -> {};
  private RedisStore store;

  @BeforeAll
  static void start() {
    cluster = new ClusterProcesses(3, 0);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void close() {
    assertThat(cluster.keysWithoutTtl()).isEmpty();
    if (store != null) {
      store.close();
    }
  }

  private void connect(Script script) {
    store =
        RedisStore.builder()
            .script(script)
            .deadline(Duration.ofSeconds(20))
            .startTimeout(Duration.ofSeconds(20))
            .denialMemory(false)
            .observer(counts)
            .callObserver(
                batch -> {
                  calls.add(batch);
                  beforeCall.run();
                })
            .connect(cluster.url());
    await("available").until(store::isAvailable);
  }

  /** Keys of one primary, in different slots. */
  private static List<String> keys(int primary, int count) {
    return keys(primary, count, 0);
  }

  private static List<String> keys(int primary, int count, int from) {
    List<String> keys = new ArrayList<>();
    List<Integer> slots = new ArrayList<>();
    for (int i = from; keys.size() < count; i++) {
      String key = cluster.keyAt(primary, i);
      if (!slots.contains(slotOf(key))) {
        slots.add(slotOf(key));
        keys.add(key);
      }
    }
    return keys;
  }

  private static int slotOf(String key) {
    return SlotTable.slotOf("{" + key + "}");
  }

  private static long scriptCalls(RedisProcess server) {
    return server
        .command("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
        .mapToLong(line -> Long.parseLong(line.split("[=,]", -1)[1]))
        .findFirst()
        .orElse(0);
  }

  private long callsWithSeveralSlots() {
    return calls.stream().filter(batch -> batch.onlySlot() < 0).count();
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Decision decisionOf(CompletableFuture<Decision> decision) {
    return decision.orTimeout(1, TimeUnit.MINUTES).join();
  }

  @Test
  void take_distinctKeysOfOnePrimary_shareCalls() {
    connect(Script.decide());
    RateLimiter limiter = RateLimiter.on(store, name, SLOW);
    List<String> keys = keys(0, 500);
    RedisProcess primary = cluster.primaries().get(0);
    long before = scriptCalls(primary);
    List<CompletableFuture<Decision>> decisions = new ArrayList<>();
    // All other requests are submitted while the first is being sent.
    CountDownLatch sending = new CountDownLatch(1);
    CountDownLatch submitted = new CountDownLatch(1);
    beforeCall =
        () -> {
          sending.countDown();
          awaitLatch(submitted);
        };
    CompletableFuture<Decision> first =
        CompletableFuture.supplyAsync(() -> limiter.take(keys.get(0)));
    awaitLatch(sending);
    for (String key : keys) {
      decisions.add(limiter.takeAsync(key).toCompletableFuture());
    }
    submitted.countDown();
    assertThat(decisionOf(first).degraded()).isFalse();
    assertThat(decisions)
        .allSatisfy(each -> assertThat(decisionOf(each).degraded()).isFalse())
        .allSatisfy(each -> assertThat(decisionOf(each).allowed()).isTrue());
    assertThat(scriptCalls(primary) - before).isLessThan(50);
    assertThat(callsWithSeveralSlots()).isPositive();
    assertThat(limiter.peek(keys.get(0)).remaining()).isEqualTo(8);
    for (String key : keys.subList(1, keys.size())) {
      assertThat(limiter.peek(key).remaining()).isEqualTo(9);
    }
  }

  @Test
  void take_severalSlotsOfOnePrimary_isOneCallWithoutRefunds() {
    connect(Script.decide());
    List<String> keys = keys(1, 4);
    RateLimiter bucket = RateLimiter.on(store, name, SLOW);
    RateLimiter window = RateLimiter.on(store, name + "w", Limit.fixedWindow(10, DAY));
    RateLimiter log = RateLimiter.on(store, name + "l", Limit.slidingLog(10, DAY));
    Claim[] claims = {
      bucket.at(keys.get(0)), bucket.at(keys.get(1), 2), window.at(keys.get(2)), log.at(keys.get(3))
    };
    long before = scriptCalls(cluster.primaries().get(1));
    Decision allowed = RateLimiter.all(claims).take();
    assertThat(allowed.allowed()).isTrue();
    assertThat(allowed.results())
        .extracting(Decision::remaining)
        .containsExactly(9.0, 8.0, 9.0, 9.0);
    assertThat(calls).hasSize(1);
    assertThat(scriptCalls(cluster.primaries().get(1)) - before).isPositive();

    claims[3] = log.at(keys.get(3), 10);
    Decision denied = RateLimiter.all(claims).take();
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.degraded()).isFalse();
    assertThat(calls).hasSize(2);
    assertThat(bucket.peek(keys.get(0)).remaining()).isEqualTo(9);
    assertThat(bucket.peek(keys.get(1)).remaining()).isEqualTo(8);
    assertThat(window.peek(keys.get(2)).remaining()).isEqualTo(9);
    assertThat(log.peek(keys.get(3)).remaining()).isEqualTo(9);
    assertThat(counts.refunded.get()).isZero();
  }

  @Test
  void take_manyCallersOverSlotsOfOnePrimary_deniedRequestsTakeNothing() throws Exception {
    connect(Script.decide());
    List<String> keys = keys(2, 3);
    RateLimiter wide = RateLimiter.on(store, name, Limit.perDay(10).burst(10_000));
    RateLimiter narrow = RateLimiter.on(store, name + "n", Limit.perDay(1).burst(300));
    AtomicInteger passed = new AtomicInteger();
    AtomicInteger degraded = new AtomicInteger();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Thread caller =
          new Thread(
              () -> {
                for (int j = 0; j < 50; j++) {
                  Decision decision =
                      RateLimiter.all(
                              wide.at(keys.get(0)), narrow.at(keys.get(1)), wide.at(keys.get(2)))
                          .take();
                  passed.addAndGet(decision.allowed() ? 1 : 0);
                  degraded.addAndGet(decision.degraded() ? 1 : 0);
                }
              });
      callers.add(caller);
      caller.start();
    }
    for (Thread caller : callers) {
      caller.join(60_000);
    }
    assertThat(degraded).hasValue(0);
    assertThat(passed).hasValue(300);
    assertThat(Math.floor(wide.peek(keys.get(0)).remaining())).isEqualTo(10_000 - 300);
    assertThat(Math.floor(wide.peek(keys.get(2)).remaining())).isEqualTo(10_000 - 300);
    assertThat(counts.refunded.get()).isZero();
  }

  @Test
  void take_foreignValueInOneSlot_isRepairedAndOthersAreDecided() {
    connect(Script.decide());
    List<String> keys = keys(0, 3);
    RateLimiter limiter = RateLimiter.on(store, name, SLOW);
    RedisProcess primary = cluster.primaries().get(0);
    ClusterProcesses.must(
        primary, "RPUSH", "penstock:1t:" + name + ":{" + keys.get(1) + "}", "a list");
    ClusterProcesses.must(primary, "SET", "penstock:1t:" + name + ":{" + keys.get(2) + "}", "text");
    Decision decision =
        RateLimiter.all(keys.stream().map(limiter::at).toArray(Claim[]::new)).peek();
    assertThat(decision.results()).extracting(Decision::remaining).containsExactly(10.0, 0.0, 0.0);
    assertThat(callsWithSeveralSlots()).isEqualTo(1);
    assertThat(counts.repaired.get()).isEqualTo(2);
  }

  /** A key that the old owner doesn't have must not be created there. */
  @Test
  void take_slotBeingMigrated_isDecidedByTheNewOwner() {
    connect(Script.decide());
    // No other test has keys in these slots.
    List<String> keys = keys(0, 4, 2_000);
    RateLimiter limiter = RateLimiter.on(store, name, SLOW);
    Claim[] claims = keys.stream().map(limiter::at).toArray(Claim[]::new);
    RedisProcess from = cluster.primaries().get(0);
    RedisProcess to = cluster.primaries().get(1);
    int slot = slotOf(keys.get(1));
    limiter.take(keys.get(0));
    cluster.beginMove(slot, from, to);
    try {
      Decision allowed = RateLimiter.all(claims).take();
      assertThat(allowed.allowed()).isTrue();
      assertThat(allowed.degraded()).isFalse();
      assertThat(allowed.results())
          .extracting(Decision::remaining)
          .containsExactly(8.0, 9.0, 9.0, 9.0);
      assertThat(from.command("CLUSTER", "COUNTKEYSINSLOT", "" + slot)).isEqualTo(":0");
      assertThat(to.command("CLUSTER", "COUNTKEYSINSLOT", "" + slot)).isEqualTo(":1");

      calls.clear();
      assertThat(RateLimiter.all(claims).take().degraded()).isFalse();
      assertThat(calls).as("the slot and all others").hasSize(2);
      claims[2] = limiter.at(keys.get(2), 9);
      assertThat(RateLimiter.all(claims).take().allowed()).isFalse();
      await("given back").until(() -> limiter.peek(keys.get(1)).remaining() == 8);
      assertThat(limiter.peek(keys.get(0)).remaining()).isEqualTo(7);
    } finally {
      cluster.moveKeys(slot, from, to);
      cluster.endMove(slot, from, to);
      cluster.move(slot, from);
    }
    await("one call again")
        .until(
            () -> {
              calls.clear();
              return RateLimiter.all(claims).peek().results().size() == 4 && calls.size() == 1;
            });
    assertThat(counts.failures).isEmpty();
  }

  @Test
  void serverRejectsSeveralSlots_requestsGoToEachSlot() {
    String text = Script.decideText();
    assertThat(text).contains(READ);
    rejected(Script.of(text.replace(READ, "i > 2 and " + REJECTED + " or " + READ)));
  }

  /** Since 7.0, a server rejects several slots in scripts with a first line like this. */
  @Test
  void serverRejectsSeveralSlots_byItself_requestsGoToEachSlot() {
    String version = cluster.primaries().get(0).command("INFO", "server");
    assumeThat(version).doesNotContain("redis_version:6.");
    rejected(Script.of("#!lua\n" + Script.decideText()));
  }

  private void rejected(Script script) {
    connect(script);
    RateLimiter limiter = RateLimiter.on(store, name, SLOW);
    List<String> keys = keys(0, 3);
    keys.addAll(keys(1, 2));
    Claim[] claims = keys.stream().map(limiter::at).toArray(Claim[]::new);
    // Denied by a slot of the second server, while the first rejects its part of the request.
    claims[4] = limiter.at(keys.get(4), 11);
    Decision denied = RateLimiter.all(claims).take();
    assertThat(denied.neverAllowed()).isTrue();
    assertThat(denied.results())
        .extracting(Decision::remaining)
        .containsExactly(10.0, 10.0, 10.0, 10.0, 10.0);
    assertThat(callsWithSeveralSlots()).as("one for each server").isEqualTo(2);
    for (String key : keys) {
      await("given back").until(() -> limiter.peek(key).remaining() == 10);
    }
    claims[4] = limiter.at(keys.get(4));
    Decision allowed = RateLimiter.all(claims).take();
    assertThat(allowed.allowed()).isTrue();
    assertThat(allowed.degraded()).isFalse();
    assertThat(allowed.results())
        .extracting(Decision::remaining)
        .containsExactly(9.0, 9.0, 9.0, 9.0, 9.0);
    assertThat(callsWithSeveralSlots()).as("not again").isEqualTo(2);
    assertThat(counts.failures).isEmpty();
    assertThat(counts.timedOut()).isZero();

    // A server behind a new connection may be another one.
    cluster.primaries().get(0).command("CLIENT", "KILL", "TYPE", "normal");
    await("tried again")
        .until(
            () -> {
              RateLimiter.all(claims).peek();
              return callsWithSeveralSlots() > 2;
            });
    await("decided").until(() -> !RateLimiter.all(claims).peek().degraded());
    assertThat(limiter.peek(keys.get(0)).remaining()).isEqualTo(9);
  }
}
