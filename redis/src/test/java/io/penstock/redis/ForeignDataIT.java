package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.algorithm.FixedPointRate;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Foreign values under keys of the store are treated as an empty bucket: no error and no free
 * tokens.
 */
class ForeignDataIT {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final TokenBucket BUCKET = Limit.perSecond(4).burst(4);
  private static final long FAR = 1L << 52;

  private static RedisProcess redis;
  private static ScriptTime time;
  private static RedisCommands<byte[], byte[]> raw;

  private final Counts counts = new Counts();
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
    time.clear();
    store =
        time.builder().denialMemory(false).observer(counts).connect(RedisURI.create(redis.url()));
  }

  @AfterEach
  void everyKeyEnds() {
    assertThat(counts.failures).isEmpty();
    await("available").until(store::isAvailable);
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
  }

  private static Map<Character, Limit> limits() {
    return Map.of(
        't', BUCKET,
        'f', Limit.fixedWindow(4, SECOND),
        'c', Limit.slidingWindow(4, SECOND),
        'l', Limit.slidingLog(4, SECOND));
  }

  private static byte[] redisKey(char kind, String key) {
    char family = kind == 't' || kind == 'l' ? kind : 'w';
    return Utf8.bytes(RedisKeys.of(RedisKeys.prefix("penstock:", family, "" + kind), key));
  }

  /** Denied for at most one window, and usable after that. */
  private void assertEmptied(Object what, RateLimiter limiter, boolean counted) {
    long repaired = counts.repaired.get();
    Decision peeked = limiter.peek("k");
    assertThat(peeked.degraded()).as("%s", what).isFalse();
    assertThat(peeked.remaining()).as("%s", what).isZero();
    Decision denied = limiter.take("k");
    assertThat(denied.allowed()).as("%s", what).isFalse();
    assertThat(denied.degraded()).as("%s", what).isFalse();
    // The counter includes a fraction of its count in the next window.
    Duration maxWait = SECOND.multipliedBy(limiter.name().equals("c") ? 2 : 1);
    assertThat(denied.retryAfter()).as("%s", what).isBetween(Duration.ofNanos(1), maxWait);
    if (counted) {
      assertThat(counts.repaired.get()).as("%s", what).isEqualTo(repaired + 1);
    }
    time.advance(denied.retryAfter());
    assertThat(limiter.tryAcquire("k")).as("%s after %s", what, denied).isTrue();
    time.advance(SECOND.multipliedBy(2));
    assertThat(limiter.tryAcquire("k", 4)).as("%s full again", what).isTrue();
    limiter.reset("k");
  }

  @Test
  void take_onAnotherType_findsAnEmptyBucket() {
    limits()
        .forEach(
            (kind, limit) -> {
              RateLimiter limiter = RateLimiter.on(store, "" + kind, limit);
              byte[] key = redisKey(kind, "k");
              List<Runnable> types = new ArrayList<>();
              types.add(() -> raw.hset(key, key, key));
              types.add(() -> raw.sadd(key, key));
              types.add(() -> raw.zadd(key, 1, key));
              types.add(kind == 'l' ? () -> raw.set(key, key) : () -> raw.rpush(key, key));
              for (Runnable type : types) {
                type.run();
                assertEmptied(kind, limiter, true);
              }
            });
  }

  private static List<byte[]> garbage() {
    FixedPointRate fixedRate =
        FixedPointRate.of(BUCKET, Ticks.NANOS, FixedPointRate.MAX_UNITS_IN_DOUBLES);
    long tick = fixedRate.unitsPerTick();
    long thousandth = fixedRate.unitsPerThousandth();
    long burst = fixedRate.burst();
    long now = time.micros();
    List<byte[]> values = new ArrayList<>();
    for (String text :
        List.of("", "1", "0", "112222", "112222112222", "foobar", "{\"a\":1}", "-1", "\0", "t")) {
      values.add(text.getBytes(UTF_8));
    }
    byte[] good = pack("t", now, 0L, tick, thousandth, burst, 0L, 0L);
    for (int length = 1; length < good.length; length++) {
      values.add(Arrays.copyOf(good, length));
    }
    byte[] leased =
        pack("h", 1L, 7L, 1L, 1_000L, now + 1, now, 0L, tick, thousandth, burst, 0L, 0L);
    for (int length = 1; length < leased.length; length++) {
      values.add(Arrays.copyOf(leased, length));
    }
    for (Object hostile : new Object[] {-1L, 0.5, Double.NaN, "x", Long.MAX_VALUE}) {
      values.add(pack("h", hostile, 7L, 1L, 1_000L, now, now, 0L, tick, thousandth, burst, 0L, 0L));
      values.add(pack("h", 1L, hostile, 1L, 1_000L, now, now, 0L, tick, thousandth, burst, 0L, 0L));
      values.add(pack("h", 1L, 7L, hostile, 1_000L, now, now, 0L, tick, thousandth, burst, 0L, 0L));
      values.add(pack("h", 1L, 7L, 1L, hostile, now, now, 0L, tick, thousandth, burst, 0L, 0L));
      values.add(pack("h", 1L, 7L, 1L, 1_000L, hostile, now, 0L, tick, thousandth, burst, 0L, 0L));
    }
    for (Object hostile :
        new Object[] {
          -1L,
          Long.MIN_VALUE,
          Long.MAX_VALUE,
          1L << 53,
          0.5,
          Double.NaN,
          Double.NEGATIVE_INFINITY,
          Double.POSITIVE_INFINITY,
          1e300,
          2L << 52,
          "x",
          new Object[] {1L},
          new Object[0]
        }) {
      for (int field = 0; field < 7; field++) {
        Object[] fields = {"t", now, 0L, tick, thousandth, burst, 0L, 0L};
        fields[field + 1] = hostile;
        values.add(pack(fields));
      }
      values.add(pack(1L, 1_000_000L, hostile, 0L, 0L));
      values.add(pack(2L, 1_000_000L, now / 1_000_000, hostile, 0L));
      values.add(pack(2L, hostile, now / 1_000_000, 0L, 0L));
      values.add(pack(hostile, 1_000_000L, now / 1_000_000, 0L, 0L));
    }
    values.add(pack(now, 0L, tick, thousandth, burst, 0L, 0L));
    values.add(pack("t", now, 0L, tick, thousandth, burst, 0L, 0L, 0L));
    values.add(pack("t", now, 0L, tick, thousandth, burst));
    values.add(pack("t", now, tick, tick, thousandth, burst, 0L, 0L));
    values.add(pack("t", now, 0L, tick, thousandth, burst - 1, 0L, 0L));
    values.add(pack("t", now, 0L, tick, thousandth, burst, FAR * 2 - 1, 0L));
    values.add(pack("t", now, 0L, FAR, thousandth, burst, 1L << 30, 0L));
    values.add(pack(1L, 0L, 1L, 0L, 0L));
    values.add(pack(3L, 1_000_000L, now / 1_000_000, 0L, 0L));
    values.add(pack(1L, 1_000_000L, now / 1_000_000, 0L, 0L, 0L));
    Object[] many = new Object[10_001];
    Arrays.fill(many, 1L);
    values.add(pack(many));
    Object[] forms = new Object[1 + 7 * 17];
    forms[0] = "t";
    for (int i = 1; i < forms.length; i += 7) {
      System.arraycopy(new Object[] {now, 0L, tick, thousandth, burst, 0L, 0L}, 0, forms, i, 7);
    }
    values.add(pack(forms));
    byte[] nested = new byte[100_000];
    Arrays.fill(nested, (byte) 0x91);
    values.add(nested);
    return values;
  }

  @Test
  @Tag("full")
  void take_onGarbage_findsAnEmptyBucket() {
    limits()
        .forEach(
            (kind, limit) -> {
              RateLimiter limiter = RateLimiter.on(store, "" + kind, limit);
              byte[] key = redisKey(kind, "k");
              for (byte[] value : garbage()) {
                // The list also contains valid values of the other kind, but not of this one.
                if (kind == 'l') {
                  raw.rpush(key, value);
                } else {
                  raw.set(key, value);
                }
                assertEmptied(
                    kind + " " + Arrays.toString(Arrays.copyOf(value, 60)), limiter, true);
              }
            });
  }

  @Test
  void take_onATimeFarInTheFuture_findsAnEmptyBucket() {
    FixedPointRate fixedRate =
        FixedPointRate.of(BUCKET, Ticks.NANOS, FixedPointRate.MAX_UNITS_IN_DOUBLES);
    RateLimiter bucket = RateLimiter.on(store, "t", BUCKET);
    byte[] key = redisKey('t', "k");
    long tick = fixedRate.unitsPerTick();
    long thousandth = fixedRate.unitsPerThousandth();
    raw.set(key, pack("t", FAR, 0L, tick, thousandth, fixedRate.burst(), 0L, 0L));
    assertEmptied("own limit", bucket, false);
    raw.set(key, pack("t", FAR, 0L, 1L, 3L, 3L << 40, 0L, 0L));
    assertEmptied("another limit", bucket, false);
    raw.set(
        key,
        pack(
            "t",
            FAR,
            0L,
            1L,
            3L,
            3L << 40,
            0L,
            0L,
            FAR,
            0L,
            tick,
            thousandth,
            fixedRate.burst(),
            0L,
            0L));
    assertEmptied("both", bucket, false);
    for (char kind : new char[] {'f', 'c'}) {
      RateLimiter window = RateLimiter.on(store, "" + kind, limits().get(kind));
      long number = kind == 'f' ? 1 : 2;
      raw.set(redisKey(kind, "k"), pack(number, 1_000_000L, FAR, FAR, FAR));
      assertEmptied(kind + " far away", window, false);
      raw.set(redisKey(kind, "k"), pack(3 - number, 7L, FAR, FAR, FAR));
      assertEmptied(kind + " of another kind", window, false);
    }
  }

  @Test
  void take_onAHostileLog_findsAnEmptyBucket() {
    RateLimiter log = RateLimiter.on(store, "l", limits().get('l'));
    byte[] key = redisKey('l', "k");
    long now = time.micros() + 30_000_000;
    List<List<byte[]>> logs =
        List.of(
            List.of(pack(0L, 5_000L), pack(now, 1_000L)),
            List.of(pack(0L, 0L), pack(now, 0.5)),
            List.of(pack(0L, 0L), pack(now, Double.NaN)),
            List.of(pack(0L, 0L), "x".getBytes(UTF_8), pack(now, 4_000L)),
            List.of(pack(0L, 0L), pack(now - 5, 1_000L), pack(-1L, 2_000L), pack(now, 4_000L)));
    for (List<byte[]> entries : logs) {
      raw.rpush(key, entries.toArray(byte[][]::new));
      assertEmptied(entries.size() + " entries", log, true);
    }
    raw.rpush(key, pack(0L, 0L), pack(now - 9, 0L), pack(FAR, 0L), pack(now, 9_000L));
    assertEmptied("out of order", log, false);
    raw.rpush(key, pack(0L, 0L), pack(FAR, 1_000L << 40));
    assertEmptied("far away", log, false);
  }

  /** Encodes values in MessagePack, one after another: long, double, string or array of these. */
  private static byte[] pack(Object... values) {
    ByteBuffer bytes = ByteBuffer.allocate(16 * values.length + 16);
    for (Object value : values) {
      if (value instanceof Long number) {
        bytes.put((byte) 0xd3).putLong(number);
      } else if (value instanceof Double number) {
        bytes.put((byte) 0xcb).putDouble(number);
      } else if (value instanceof String text) {
        bytes.put((byte) (0xa0 | text.length())).put(text.getBytes(UTF_8));
      } else {
        Object[] nested = (Object[]) value;
        bytes.put((byte) (0x90 | nested.length)).put(pack(nested));
      }
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }
}
