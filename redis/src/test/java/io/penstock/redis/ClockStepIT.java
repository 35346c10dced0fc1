package io.penstock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Rate;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * P6: when the clock of Redis steps back, tokens are neither added nor removed, and no key is
 * blocked.
 */
class ClockStepIT {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration TICK = Duration.ofNanos(Ticks.NANOS);

  /** The number of decisions to compare with the model; a million takes a few minutes. */
  private static final int DECISIONS = Integer.getInteger("penstock.it.clockSteps", 6_000);

  private static RedisProcess redis;
  private static ScriptTime time;
  private static RedisCommands<byte[], byte[]> raw;

  private RedisStore store;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    time = new ScriptTime(redis);
    raw = RedisClient.create(redis.url()).connect(ByteArrayCodec.INSTANCE).sync();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void open() {
    time.set(ScriptTime.START);
    store = time.store(redis, false);
  }

  @AfterEach
  void everyKeyEnds() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
  }

  private RateLimiter limiter(Limit limit) {
    return RateLimiter.on(store, "x", limit);
  }

  @Test
  void take_afterAStepBack_keepsTheLevel() {
    for (Duration step : List.of(TICK, Duration.ofMillis(100), SECOND, HOUR)) {
      RateLimiter limiter = RateLimiter.on(store, "x" + step, Limit.perSecond(10).burst(10));
      limiter.take("k", 5);
      time.advance(step.negated());
      assertThat(limiter.peek("k").remaining()).as("%s", step).isEqualTo(5);
      assertThat(limiter.take("k").remaining()).as("%s", step).isEqualTo(4);
      assertThat(limiter.take("k", 4).allowed()).as("%s", step).isTrue();
      assertThat(limiter.take("k", 0.001).allowed()).as("%s", step).isFalse();
      time.advance(Duration.ofMillis(100));
      assertThat(limiter.peek("k").remaining()).as("%s", step).isEqualTo(1);
      time.advance(step);
    }
  }

  @Test
  void retryAfter_afterAStepBack_isExact() {
    RateLimiter limiter = limiter(Limit.perSecond(3).burst(4));
    limiter.take("k", 4);
    time.advance(HOUR.negated());
    Decision denied = limiter.take("k");
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofNanos(333_334_000));
    assertThat(denied.resetAfter()).isEqualTo(Duration.ofNanos(1_333_334_000));
    time.advance(denied.retryAfter().minus(TICK));
    assertThat(limiter.tryAcquire("k")).isFalse();
    time.advance(TICK);
    assertThat(limiter.tryAcquire("k")).isTrue();
  }

  @Test
  void take_deniedBehindTheLastWrite_writesOnce() {
    RateLimiter limiter = limiter(Limit.perSecond(10).burst(10));
    limiter.take("k", 10);
    byte[] first = value();
    limiter.take("k");
    assertThat(value()).as("in range").isEqualTo(first);
    time.advance(SECOND.negated());
    limiter.peek("k");
    assertThat(value()).as("only peeked").isEqualTo(first);
    limiter.take("k");
    byte[] second = value();
    assertThat(second).as("stepped back").isNotEqualTo(first);
    time.advance(Duration.ofMillis(1));
    limiter.take("k");
    assertThat(value()).as("in range again").isEqualTo(second);
  }

  private static byte[] value() {
    return raw.get(Utf8.bytes(RedisKeys.of(RedisKeys.prefix("penstock:", 't', "x"), "k")));
  }

  @Test
  void take_underSeveralLimits_keepsTheLevelOfEach() {
    RateLimiter loose = limiter(Limit.perSecond(10).burst(20));
    RateLimiter tight = limiter(Limit.perSecond(1).burst(8));
    loose.take("k", 4);
    tight.take("k", 1);
    time.advance(HOUR.negated());
    assertThat(loose.peek("k").remaining()).isEqualTo(15);
    assertThat(tight.peek("k").remaining()).isEqualTo(3);
    tight.take("k", 1);
    assertThat(loose.peek("k").remaining()).isEqualTo(14);
  }

  @Test
  void windows_afterAStepBack_keepWhatTheyCounted() {
    // In the last tenth of a window, so that some steps lead into the previous one.
    time.set(ScriptTime.START / 10_000_000 * 10_000_000 + 9_500_000);
    List<Limit> limits =
        List.of(
            Limit.fixedWindow(10, SECOND.multipliedBy(10)),
            Limit.slidingWindow(10, SECOND.multipliedBy(10)),
            Limit.slidingLog(10, SECOND.multipliedBy(10)));
    for (Limit limit : limits) {
      for (Duration step : List.of(TICK, SECOND, SECOND.multipliedBy(9), HOUR)) {
        RateLimiter limiter = RateLimiter.on(store, limit + " " + step, limit);
        limiter.take("k", 6);
        time.advance(SECOND.multipliedBy(10));
        long left = limiter.take("k", 1).remainingThousandths();
        time.advance(step.negated());
        assertThat(limiter.peek("k").remainingThousandths())
            .as("%s %s", limit, step)
            .isEqualTo(left);
        assertThat(limiter.take("k", 1).remainingThousandths())
            .as("%s %s", limit, step)
            .isEqualTo(left - 1_000);
        Decision denied = limiter.take("k", 10);
        assertThat(denied.retryAfter())
            .as("%s %s", limit, step)
            .isLessThanOrEqualTo(SECOND.multipliedBy(20));
        time.advance(denied.retryAfter().minus(TICK));
        assertThat(limiter.tryAcquire("k", 10)).as("%s %s", limit, step).isFalse();
        time.advance(TICK);
        assertThat(limiter.tryAcquire("k", 10)).as("%s %s", limit, step).isTrue();
        time.set(ScriptTime.START / 10_000_000 * 10_000_000 + 9_500_000);
      }
    }
  }

  @Test
  void fixedWindow_clockMovesBackAndForthAcrossItsBoundary_grantsItsLimitOnce() {
    long edge = (ScriptTime.START / 1_000_000 + 1) * 1_000_000;
    for (long step : new long[] {1, 2, 1_000, 700_000, 999_999, 1_000_000, 1_000_001, 3_500_000}) {
      RateLimiter limiter = RateLimiter.on(store, "x" + step, Limit.fixedWindow(5, SECOND));
      time.set(edge);
      int granted = 0;
      for (int i = 0; i < 10; i++) {
        granted += takeAll(limiter);
        time.set(edge - step);
        granted += takeAll(limiter);
        time.set(edge);
      }
      // A step forward fills at most one window, so only shorter steps grant nothing.
      assertThat(granted).as("steps of %s us", step).isLessThanOrEqualTo(step < 1_000_000 ? 5 : 55);
      if (step < 1_000_000) {
        Decision denied = limiter.take("k");
        assertThat(denied.retryAfter()).as("steps of %s us", step).isEqualTo(SECOND);
        time.advance(denied.retryAfter());
        assertThat(takeAll(limiter)).as("steps of %s us", step).isEqualTo(5);
      }
    }
  }

  @Test
  void fixedWindow_peekedAfterItsEnd_staysExpired() {
    long edge = (ScriptTime.START / 1_000_000 + 1) * 1_000_000;
    RateLimiter limiter = limiter(Limit.fixedWindow(5, SECOND));
    time.set(edge - 1);
    int granted = takeAll(limiter);
    for (int i = 0; i < 10; i++) {
      time.set(edge);
      limiter.peek("k");
      time.set(edge - 1);
      granted += takeAll(limiter);
    }
    assertThat(granted).isEqualTo(10);
  }

  @Test
  void fixedWindow_afterManySmallStepsBack_isNotBlocked() {
    RateLimiter limiter = limiter(Limit.fixedWindow(5, SECOND));
    assertThat(takeAll(limiter)).isEqualTo(5);
    for (int i = 0; i < 20; i++) {
      time.advance(Duration.ofMillis(-900));
      Decision denied = limiter.take("k");
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.retryAfter()).isBetween(TICK, SECOND.multipliedBy(2));
    }
    time.advance(limiter.take("k").retryAfter().minus(TICK));
    assertThat(limiter.tryAcquire("k")).isFalse();
    time.advance(TICK);
    assertThat(limiter.tryAcquire("k")).isTrue();
  }

  private static int takeAll(RateLimiter limiter) {
    int granted = 0;
    while (limiter.tryAcquire("k")) {
      granted++;
    }
    return granted;
  }

  @Test
  void take_onValuesOfThePreviousVersion_convertsThem() {
    byte[] tokens = Utf8.bytes(RedisKeys.of(RedisKeys.prefix("penstock:", 't', "x"), "k"));
    byte[] windows = Utf8.bytes(RedisKeys.of(RedisKeys.prefix("penstock:", 'w', "x"), "k"));
    byte[] log = Utf8.bytes(RedisKeys.of(RedisKeys.prefix("penstock:", 'l', "x"), "k"));
    long now = time.micros();
    // 10/s, burst 10: a tick is one unit, a thousandth of a token is 100 units.
    raw.set(tokens, pack("t", now + 400_000L, 0L, 1L, 100L, 1_000_000L, 0L, 0L));
    RateLimiter bucket = limiter(Limit.perSecond(10).burst(10));
    assertThat(bucket.peek("k").remaining()).isEqualTo(6);
    assertThat(bucket.take("k").remaining()).isEqualTo(5);
    assertThat(limiter(Limit.perSecond(10).burst(8)).peek("k").remaining()).isEqualTo(3);
    raw.set(
        tokens,
        pack(
            "h",
            1L,
            7L,
            1L,
            2_000L,
            now + 300_000L,
            now + 100_000L,
            0L,
            1L,
            100L,
            1_000_000L,
            0L,
            0L));
    assertThat(bucket.take("k").remaining()).as("2 are leased").isEqualTo(7);
    raw.set(windows, pack(1L, 1_000_000L, now / 1_000_000, 4_000L, 0L));
    assertThat(limiter(Limit.fixedWindow(10, SECOND)).take("k").remaining()).isEqualTo(5);
    raw.set(windows, pack(1L, 1_000_000L, now / 1_000_000, 4_000L, 0L));
    assertThat(limiter(Limit.fixedWindow(10, SECOND.multipliedBy(3))).take("k").remaining())
        .isEqualTo(5);
    raw.rpush(log, pack(0L, 3_000L), pack(now - 1, 7_000L));
    assertThat(limiter(Limit.slidingLog(10, SECOND)).take("k").remaining()).isEqualTo(5);
  }

  /** Encodes values in MessagePack, one after another. */
  private static byte[] pack(Object... values) {
    ByteBuffer bytes = ByteBuffer.allocate(16 * values.length);
    for (Object value : values) {
      if (value instanceof Long number) {
        bytes.put((byte) 0xd3).putLong(number);
      } else {
        bytes.put((byte) 0xa1).put(((String) value).getBytes(UTF_8));
      }
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  private static TokenBucket bucket(String perSecond, double burst) {
    Rate rate = Rate.of(new BigDecimal(perSecond), SECOND);
    return new TokenBucket(rate, Math.round(burst * 1_000));
  }

  /** The debts of the last three are too large in units for a double. */
  private static final List<TokenBucket> LIMITS =
      List.of(
          bucket("10", 10),
          bucket("3", 7),
          bucket("0.083", 5),
          bucket("999999", 1_000),
          bucket("12345.678901", 777_777.777),
          Limit.perDay(1000).burst(20),
          bucket("16.6667", 5_000_000),
          bucket("0.3333333333", 1_000_000),
          bucket("123456.7891", 1_000_000_000));

  @Test
  void take_underAHostileClock_agreesWithTheModel() throws Exception {
    Random random = new Random(25);
    ServerConnection link =
        new ServerConnection(
            Connector.to(RedisURI.create(redis.url()), RedisTls.DEFAULT),
            ScriptTime.script(),
            new EvictionWatch(RedisObserver.NONE));
    link.probe().toCompletableFuture().get(1, TimeUnit.MINUTES);
    List<RedisBuckets> buckets = new ArrayList<>();
    List<SteppingBucket> models = new ArrayList<>();
    int compared = 0;
    for (int round = 0; compared < DECISIONS; round++) {
      if (round % 40 == 0) {
        time.set(ScriptTime.START + random.nextInt(1_000_000));
        time.clear();
        buckets.clear();
        models.clear();
        for (int i = 0; i < LIMITS.size(); i++) {
          RedisBuckets of =
              new RedisBuckets(store, "limit" + i, LIMITS.get(i), StoreOptions.DEFAULT);
          TokenBucketCodec terms = (TokenBucketCodec) of.claim("k", 0, 0).codec();
          buckets.add(of);
          models.add(
              new SteppingBucket(
                  terms.fixedRate().rate(), LIMITS.get(i).burstThousandths(), time.micros()));
        }
      }
      compared += check(random, link, buckets, models);
      time.set(time.micros() + step(random));
    }
    assertThat(redis.keysWithoutTtl()).isEmpty();
    link.close();
  }

  private static long step(Random random) {
    int[] bounds = {2, 1_000, 300_000, 20_000_000, 1_000_000_000};
    long step = random.nextInt(bounds[random.nextInt(bounds.length)]);
    return random.nextInt(4) == 0 ? -step : step;
  }

  private int check(
      Random random, ServerConnection link, List<RedisBuckets> buckets, List<SteppingBucket> models)
      throws Exception {
    List<PendingRequest> requests = new ArrayList<>();
    List<Integer> of = new ArrayList<>();
    for (int i = 0; i < buckets.size() * 2; i++) {
      int which = random.nextInt(buckets.size());
      long burst = buckets.get(which).limit().burstThousandths();
      long[] costs = {0, 1, 1_000, burst / 3, burst / 2 + 1, burst, burst + 1};
      RedisClaim claim = buckets.get(which).claim("k", costs[random.nextInt(costs.length)], 0);
      Operation operation = random.nextInt(8) == 0 ? Operation.REFUND : Operation.TAKE;
      for (int times = random.nextInt(5) == 0 ? 7 : 1; times > 0; times--) {
        requests.add(store.newRequest(operation, List.of(claim)));
        of.add(which);
      }
    }
    requests.forEach(PendingRequest::markSent);
    Batch batch = new Batch(requests);
    long[] replies = link.call(batch, false).toCompletableFuture().get(1, TimeUnit.MINUTES);
    batch.complete(replies, new LateGrants());
    assertThat(replies[0]).isZero();
    long now = time.micros();
    for (int i = 0; i < requests.size(); i++) {
      PendingRequest request = requests.get(i);
      SteppingBucket model = models.get(of.get(i));
      long cost = request.claims().get(0).thousandths();
      if (request.operation() == Operation.REFUND) {
        model.refund(now, cost);
      } else {
        Decision decision = request.decision().join();
        SteppingBucket.Answer answer =
            new SteppingBucket.Answer(
                decision.allowed(),
                decision.remainingThousandths(),
                decision.neverAllowed() ? 0 : decision.retryAfter().toNanos() / Ticks.NANOS,
                decision.resetAfter().toNanos() / Ticks.NANOS);
        assertThat(answer)
            .as("cost %s under %s at %s", cost, request.claims().get(0).buckets().limit(), now)
            .isEqualTo(model.take(now, cost));
      }
    }
    return requests.size();
  }
}
