package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/** P11: the results of batches are those of the pure functions for each request in order. */
@Tag("full")
class ScriptPropertiesIT {
  private static final List<Limit> LIMITS =
      List.of(
          Limit.perSecond(10).burst(10),
          Limit.perSecond(3).burst(7),
          Limit.perDay(1000).burst(20),
          Limit.perSecond(999_999).burst(1_000),
          Limit.fixedWindow(12, Duration.ofSeconds(1)),
          Limit.slidingWindow(12, Duration.ofSeconds(2)),
          Limit.slidingWindow(900_000_000, Duration.ofSeconds(7)),
          Limit.slidingLog(12, Duration.ofSeconds(1)));

  private static RedisProcess redis;
  private static ScriptTime time;
  private static ServerConnection link;
  private static RedisStore store;

  @BeforeContainer
  static void start() throws Exception {
    redis = RedisProcess.start();
    time = new ScriptTime(redis);
    store = time.store(redis, false);
    link =
        new ServerConnection(
            Connector.to(RedisURI.create(redis.url()), RedisTls.DEFAULT),
            ScriptTime.script(),
            new EvictionWatch(RedisObserver.NONE));
    link.probe().toCompletableFuture().get(1, TimeUnit.MINUTES);
  }

  @AfterContainer
  static void stop() {
    store.close();
    link.close();
    redis.close();
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void batches_whileTimePasses_areDecidedAsOneByOne(@ForAll Random random) throws Exception {
    new Run(random, true).go(8);
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void batches_whileTheClockJumps_areDecidedAsOneByOne(@ForAll Random random) throws Exception {
    new Run(random, false).go(8);
  }

  /** A sequence of batches on separate buckets. */
  private static final class Run {
    private final Random random;
    private final boolean forward;
    private final ScriptModel model = new ScriptModel();
    private final List<RedisBuckets> buckets = new ArrayList<>();

    Run(Random random, boolean forward) {
      this.random = random;
      this.forward = forward;
      time.clear();
      for (int i = 0; i < LIMITS.size(); i++) {
        buckets.add(new RedisBuckets(store, "limit" + i, LIMITS.get(i), StoreOptions.DEFAULT));
      }
    }

    void go(int batches) throws Exception {
      for (int i = 0; i < batches; i++) {
        List<PendingRequest> requests = new ArrayList<>();
        for (int size = 1 + random.nextInt(40); requests.size() < size; ) {
          PendingRequest request = request();
          for (int times = random.nextInt(4); times >= 0; times--) {
            requests.add(copy(request));
          }
        }
        check(requests);
        long step = random.nextBoolean() ? random.nextInt(300_000) : random.nextInt(20_000_000);
        time.set(time.micros() + (forward || random.nextInt(3) > 0 ? step : -step));
      }
      assertThat(redis.keysWithoutTtl()).isEmpty();
    }

    private void check(List<PendingRequest> requests) throws Exception {
      requests.forEach(PendingRequest::markSent);
      Batch batch = new Batch(requests);
      long[] replies = link.call(batch, false).toCompletableFuture().get(1, TimeUnit.MINUTES);
      LateGrants late = new LateGrants();
      batch.complete(replies, late);
      assertThat(late.receipts).isEmpty();
      assertThat(replies[0]).as("no foreign values").isZero();
      for (int i = 0; i < requests.size(); i++) {
        PendingRequest request = requests.get(i);
        Decision expected = decide(request);
        if (expected != null) {
          assertThat(request.decision().join())
              .as("%s: %s %s at %s", i, request.operation(), request.claims(), time.micros())
              .usingRecursiveComparison()
              .isEqualTo(expected);
        }
      }
    }

    private static PendingRequest copy(PendingRequest request) {
      return request.operation() == Operation.RAISE_DEBT
          ? raise(request.claims().get(0), request.argument(0))
          : store.newRequest(request.operation(), request.claims());
    }

    private @Nullable Decision decide(PendingRequest request) {
      if (request.operation() == Operation.RAISE_DEBT) {
        model.raise(request, time.micros());
        return null;
      }
      return model.decide(request.operation(), request.claims(), time.micros());
    }

    private PendingRequest raise() {
      RedisBuckets one = buckets.get(random.nextInt(4));
      long missing = 1 + random.nextLong(one.limit().burstThousandths());
      long micros = random.nextBoolean() ? 0 : time.micros() - random.nextInt(3_000_000);
      RedisClaim claim = one.claim("key" + random.nextInt(2), missing, 0);
      return raise(claim, micros);
    }

    private static PendingRequest raise(RedisClaim claim, long micros) {
      return new PendingRequest(Operation.RAISE_DEBT, List.of(claim), System.nanoTime(), micros);
    }

    private PendingRequest request() {
      int roll = random.nextInt(21);
      if (roll == 20) {
        return raise();
      }
      if (roll < 16) {
        List<RedisBuckets> some = new ArrayList<>(buckets);
        Collections.shuffle(some, random);
        List<RedisClaim> claims =
            some.subList(0, 1 + random.nextInt(4)).stream().map(this::claim).toList();
        return store.newRequest(roll < 14 ? Operation.TAKE : Operation.PEEK, claims);
      }
      RedisBuckets one = buckets.get(random.nextInt(roll == 16 ? buckets.size() : 4));
      Operation operation =
          roll == 16
              ? Operation.RESET
              : roll == 17 && forward ? Operation.CHARGE : Operation.REFUND;
      long cost = operation == Operation.RESET ? 0 : 1 + random.nextInt(15_000);
      return store.newRequest(operation, List.of(one.claim("key" + random.nextInt(2), cost, 0)));
    }

    private RedisClaim claim(RedisBuckets of) {
      boolean tokens = of.claim("k", 0, 0).isTokenBucket();
      boolean delayed = tokens && forward && random.nextInt(4) == 0;
      long delayNanos = delayed ? random.nextInt(3_000_000) * 1_000L : 0;
      return of.claim("key" + random.nextInt(2), cost(of.limit(), tokens), delayNanos);
    }

    private long cost(Limit limit, boolean tokens) {
      if (random.nextInt(8) == 0) {
        return 0;
      }
      if (limit.burstThousandths() > 1_000_000_000) {
        // So large that products don't fit into doubles.
        return random.nextLong(limit.burstThousandths() / 3);
      }
      long whole = 1_000L * (1 + random.nextInt(random.nextInt(20) == 0 ? 14 : 4));
      return tokens && random.nextBoolean() ? whole + random.nextInt(1_000) : whole;
    }
  }
}
