package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import io.penstock.algorithm.FixedPointRate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * The script handles leases as the model does, mixed with all other operations on the same bucket.
 */
@Tag("full")
class LeaseScriptIT {
  private static final List<TokenBucket> LIMITS =
      List.of(
          Limit.perSecond(10).burst(40),
          Limit.perSecond(3).burst(17),
          Limit.perDay(1000).burst(64),
          Limit.perSecond(999_999).burst(1_000));

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

  @Property(tries = 150, shrinking = ShrinkingMode.OFF)
  void leases_amongEverythingElse_areAsInTheModel(@ForAll Random random) throws Exception {
    TokenBucket limit = LIMITS.get(random.nextInt(LIMITS.size()));
    Run run = new Run(random, limit);
    for (int i = 0; i < 60; i++) {
      run.step();
    }
    assertThat(redis.keysWithoutTtl()).isEmpty();
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void leases_underSeveralLimits_areMissingUnderEach(@ForAll Random random) throws Exception {
    time.clear();
    List<RedisBuckets> all =
        LIMITS.stream()
            .map(limit -> new RedisBuckets(store, "x", limit, StoreOptions.DEFAULT))
            .toList();
    long[] held = new long[3];
    for (int i = 0; i < 40; i++) {
      RedisBuckets some = all.get(random.nextInt(all.size()));
      int roll = random.nextInt(10);
      if (roll < 5) {
        int holder = random.nextInt(held.length);
        long keep = (long) (random.nextDouble() * held[holder]);
        long back = (long) (random.nextDouble() * (held[holder] - keep));
        Lease.LeaseCall call =
            call(i + 1, keep, back, random.nextInt(6_000), 1 + random.nextInt(1_500));
        LeaseRequest request =
            new LeaseRequest(some.claim("k", 0, 0), holder, call, (done, reply) -> {});
        long[] replies = call(List.of(request));
        held[holder] = replies[1] + replies[4];
      } else {
        Operation operation =
            roll < 7 ? Operation.TAKE : roll == 7 ? Operation.REFUND : Operation.RESET;
        call(
            List.of(
                store.newRequest(
                    operation, List.of(some.claim("k", 1_000 + random.nextInt(9_000), 0)))));
      }
      // So short that no lease expires.
      time.set(time.micros() + random.nextInt(20_000));
      for (RedisBuckets buckets : all) {
        long[] replies =
            call(List.of(store.newRequest(Operation.PEEK, List.of(buckets.claim("k", 0, 0)))));
        FixedPointRate fixedRate =
            FixedPointRate.of(
                (TokenBucket) buckets.limit(), Ticks.NANOS, FixedPointRate.MAX_UNITS_IN_DOUBLES);
        long debt = replies[2] * fixedRate.unitsPerTick() + replies[3];
        long outstanding = held[0] + held[1] + held[2];
        assertThat(debt)
            .as("%s leased, under %s", outstanding, buckets.limit())
            .isGreaterThanOrEqualTo(Math.min(fixedRate.burst(), fixedRate.units(outstanding)));
      }
    }
    assertThat(redis.keysWithoutTtl()).isEmpty();
  }

  @Example
  void leases_whenTheClockStepsBack_lastAsLongAsTheyWouldHave() throws Exception {
    time.clear();
    RedisBuckets buckets = new RedisBuckets(store, "x", LIMITS.get(0), StoreOptions.DEFAULT);
    RedisClaim claim = buckets.claim("k", 0, 0);
    call(List.of(new LeaseRequest(claim, 1, call(1, 0, 0, 5_000, 1_000), (done, reply) -> {})));
    long before = time.micros();
    time.set(before - 3_600_000_000L);
    // Tokens are neither added nor removed: 5 of 40 are leased.
    PendingRequest rest = store.newRequest(Operation.TAKE, List.of(buckets.claim("k", 35_000, 0)));
    call(List.of(rest));
    assertThat(rest.decision().join().allowed()).isTrue();
    PendingRequest more = store.newRequest(Operation.TAKE, List.of(buckets.claim("k", 1, 0)));
    call(List.of(more));
    assertThat(more.decision().join().allowed()).isFalse();
    long lease = Lease.LENGTH_NANOS / Ticks.NANOS;
    time.set(time.micros() + 4_000_000L + lease + lease / 8);
    PendingRequest all = store.newRequest(Operation.TAKE, List.of(buckets.claim("k", 40_000, 0)));
    call(List.of(all));
    assertThat(all.decision().join().allowed())
        .as("the lease has expired, and the bucket is full")
        .isTrue();
    time.set(before);
  }

  private static Lease.LeaseCall call(long number, long keep, long back, long want, long grain) {
    return new Lease.LeaseCall(number, keep, back, want, grain, 0, false, false);
  }

  private static long[] call(List<PendingRequest> requests) throws Exception {
    requests.forEach(PendingRequest::markSent);
    Batch batch = new Batch(requests);
    long[] replies = link.call(batch, false).toCompletableFuture().get(1, TimeUnit.MINUTES);
    assertThat(replies[0]).as("no foreign values").isZero();
    batch.complete(replies, new LateGrants());
    return replies;
  }

  /** A bucket and its model. */
  private static final class Run {
    private final Random random;
    private final RedisBuckets buckets;
    private final LeasedBucket model;
    private final FixedPointRate fixedRate;
    private final long[] held = new long[4];
    private long number;

    Run(Random random, TokenBucket limit) {
      this.random = random;
      time.clear();
      this.buckets = new RedisBuckets(store, "x", limit, StoreOptions.DEFAULT);
      this.fixedRate = FixedPointRate.of(limit, Ticks.NANOS, FixedPointRate.MAX_UNITS_IN_DOUBLES);
      this.model = new LeasedBucket(fixedRate, time.micros());
    }

    void step() throws Exception {
      List<PendingRequest> requests = new ArrayList<>();
      if (random.nextBoolean()) {
        requests.add(request());
      }
      // The leases of a call come last.
      do {
        requests.add(lease());
      } while (random.nextInt(3) == 0);
      long[] replies = call(requests);
      int next = 1;
      for (PendingRequest request : requests) {
        next = check(request, replies, next);
      }
      // Short, about as long as a lease, or longer than some buckets take to be full.
      int most = new int[] {2_000, 1_200_000, 30_000_000}[random.nextInt(3)];
      time.set(time.micros() + random.nextInt(most));
    }

    private PendingRequest lease() {
      int holder = random.nextInt(held.length);
      // Sometimes more than it has, or from a late call.
      long has = held[holder] + (random.nextInt(6) == 0 ? 500 : 0);
      long keep = (long) (random.nextDouble() * has);
      long back = random.nextInt(3) == 0 ? has - keep : 0;
      number++;
      long numbered = random.nextInt(8) == 0 ? Math.max(0, number - 4) : number;
      Lease.LeaseCall call =
          call(numbered, keep, back, random.nextInt(9_000), 1 + random.nextInt(1_200));
      return new LeaseRequest(buckets.claim("k", 0, 0), holder, call, (done, reply) -> {});
    }

    private PendingRequest request() {
      Operation operation =
          List.of(
                  Operation.TAKE,
                  Operation.TAKE,
                  Operation.PEEK,
                  Operation.CHARGE,
                  Operation.REFUND,
                  Operation.RESET)
              .get(random.nextInt(6));
      long cost =
          operation == Operation.RESET || random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(6_000);
      return store.newRequest(operation, List.of(buckets.claim("k", cost, 0)));
    }

    private int check(PendingRequest request, long[] replies, int next) {
      long now = time.micros();
      if (request instanceof LeaseRequest lease) {
        int holder = (int) lease.holder();
        LeasedBucket.Reply expected = model.lease(now, holder, lease.call());
        LeasedBucket.Reply reply =
            new LeasedBucket.Reply(
                replies[next], debt(replies, next + 1), replies[next + 3], replies[next + 4]);
        assertThat(reply).as("%s of %s at %s", lease.call(), holder, now).isEqualTo(expected);
        if (reply.granted() >= 0) {
          held[holder] = reply.granted() + reply.kept();
        }
        return next + LeaseRequest.REPLY_LENGTH;
      }
      long cost = request.claims().get(0).thousandths();
      long before = model.debt(now);
      assertThat(debt(replies, next + 1))
          .as("%s before %s at %s", request.operation(), cost, now)
          .isEqualTo(before);
      Decision decision = request.decision().join();
      if (request.operation() == Operation.TAKE) {
        assertThat(decision.allowed()).isEqualTo(model.take(now, cost));
      } else if (request.operation() == Operation.CHARGE) {
        model.charge(now, cost);
      } else if (request.operation() == Operation.REFUND) {
        model.refund(now, cost);
      } else if (request.operation() == Operation.RESET) {
        model.reset(now);
      }
      return next + 3;
    }

    private long debt(long[] replies, int at) {
      return replies[at] * fixedRate.unitsPerTick() + replies[at + 1];
    }
  }
}
