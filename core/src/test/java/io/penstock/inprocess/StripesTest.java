package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.algorithm.FixedPointRate;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A striped bucket is the same bucket: every operation finds what a plain one would. */
class StripesTest {
  /** Stripes every bucket that is neither nearly full nor nearly empty. */
  static final Striping ALWAYS = new Striping(0, 2, 1);

  private static final TokenBucket LIMIT = Limit.perSecond(10).burst(64);

  private final ManualClock clock = new ManualClock();
  private final SipHash hash = new SipHash(3, 4);
  private final InProcessStore store = store(1_000);
  private final RateLimiter limiter = RateLimiter.on(store, "x", LIMIT);

  @Test
  void tryTake_farFromFullAndEmpty_opensStripesAndOtherOperationsCloseThem() {
    FixedPointRate fixedRate = FixedPointRate.of(LIMIT, 1);
    BucketTable table = store.newBucketTable(fixedRate, new NamedTables(store, "y"));
    assertThat(table.tryTake("k", fixedRate, fixedRate.units(1_000))).isTrue();
    assertThat(isStriped(table)).as("nearly full").isFalse();
    table.take("k", fixedRate, fixedRate.units(29_000), fixedRate.burst());
    assertThat(isStriped(table)).as("an exact result is required").isFalse();
    for (int i = 0; i < 3; i++) {
      assertThat(table.tryTake("k", fixedRate, fixedRate.units(1_000))).isTrue();
      assertThat(isStriped(table)).isTrue();
    }
    assertThat(table.take("k", fixedRate, 0, fixedRate.burst())).isEqualTo(units(fixedRate, 33));
    assertThat(isStriped(table)).as("after a peek").isFalse();
    assertThat(table.tryTake("k", fixedRate, fixedRate.units(1_000))).isTrue();
    assertThat(isStriped(table)).isTrue();
    assertThat(table.tryTake("k", fixedRate, fixedRate.units(25_000))).isTrue();
    assertThat(isStriped(table)).as("a cost above the claim").isFalse();
  }

  @Test
  void tryAcquire_untilDenied_grantsTheBurst() {
    int granted = 0;
    while (limiter.tryAcquire("k", 0.25)) {
      granted++;
    }
    assertThat(granted).isEqualTo(4 * 64);
    assertThat(limiter.take("k").retryAfter()).isEqualTo(Duration.ofMillis(100));
    clock.advance(Duration.ofMillis(99));
    assertThat(limiter.tryAcquire("k")).isFalse();
    clock.advance(Duration.ofMillis(1));
    assertThat(limiter.tryAcquire("k")).isTrue();
  }

  @Test
  void tryAcquire_afterTheStripesWereIdle_isTheFullBucketAndNoMore() {
    stripe(30);
    clock.advance(Duration.ofHours(1));
    int granted = 0;
    while (limiter.tryAcquire("k")) {
      granted++;
    }
    assertThat(granted).isEqualTo(64);
  }

  /** The shared state still has a debt when the bucket without stripes would be full. */
  @Test
  void tryAcquire_bucketBecomesFullWithinAClaim_grantsNoMoreThanTheBurst() {
    stripe(30);
    for (int millis = 2_000; millis <= 3_200; millis += 50) {
      clock.advance(Duration.ofMillis(millis == 2_000 ? 2_000 : 50));
      assertThat(limiter.tryAcquire("k", 0.001)).isTrue();
    }
    assertThat(limiter.peek("k").remainingThousandths()).isEqualTo(63_999);
  }

  @Test
  void chargeRefundAndReset_ofAStripedBucket_areExact() {
    stripe(30);
    limiter.charge("k", 5);
    assertThat(limiter.peek("k").remaining()).isEqualTo(29);
    stripe(1);
    limiter.refund("k", 10);
    assertThat(limiter.peek("k").remaining()).isEqualTo(38);
    stripe(1);
    limiter.reset("k");
    assertThat(limiter.peek("k").remaining()).isEqualTo(64);
  }

  @Test
  void all_withAStripedBucket_takesFromBothOrNeither() {
    RateLimiter other = RateLimiter.on(store, "other", Limit.perDay(1).burst(1));
    JointRequest joint = RateLimiter.all(limiter.at("k", 34), other.at("k"));
    stripe(30);
    assertThat(joint.tryAcquire()).isTrue();
    assertThat(limiter.tryAcquire("k", 0.001)).isFalse();
    limiter.refund("k", 34);
    stripe(1);
    assertThat(joint.tryAcquire()).isFalse();
    assertThat(limiter.peek("k").remaining()).isEqualTo(33);
  }

  @Test
  void replaceLimit_ofAStripedBucket_keepsWhatWasConsumed() {
    stripe(30);
    limiter.replaceLimit(Limit.perSecond(10).burst(100));
    assertThat(limiter.peek("k").remaining()).isEqualTo(70);
    stripe(1);
    RateLimiter second = RateLimiter.on(store, "x", Limit.perSecond(1).burst(50));
    assertThat(second.tryAcquire("k")).isTrue();
    assertThat(second.peek("k").remaining()).isEqualTo(18);
    assertThat(limiter.peek("k").remaining()).isEqualTo(68);
  }

  @Test
  void tryAcquire_manyNewKeys_movesStripedBuckets() {
    for (int i = 0; i < 500; i++) {
      limiter.tryAcquire("key-" + i, 30);
      limiter.tryAcquire("key-" + i);
      limiter.tryAcquire("key-" + i);
    }
    for (int i = 0; i < 500; i++) {
      assertThat(limiter.peek("key-" + i).remaining()).isEqualTo(32);
    }
  }

  @Test
  void tryAcquire_atTheCapWithAllStriped_evictsThem() {
    InProcessStore small = store(2);
    RateLimiter capped = RateLimiter.on(small, "x", Limit.perDay(1).burst(64));
    for (int i = 0; i < 100; i++) {
      assertThat(capped.tryAcquire("key-" + i, 30)).isTrue();
      assertThat(capped.tryAcquire("key-" + i)).isTrue();
      assertThat(capped.tryAcquire("key-" + i)).isTrue();
    }
    assertThat(small.keys()).isEqualTo(2);
    assertThat(small.forgivenTokens()).isEqualTo(98 * 32);
  }

  @Test
  void tryAcquire_clockSteppedBack_isFreeWithinAWindow() {
    stripe(30);
    clock.advance(Duration.ofHours(-1));
    assertThat(limiter.tryAcquire("k", 0.001)).as("the state is clamped to empty").isFalse();
    clock.advance(Duration.ofMillis(6_400));
    assertThat(limiter.tryAcquire("k", 64)).isTrue();
  }

  /** Consumes {@code tokens}, the last few of them from stripes. */
  private void stripe(int tokens) {
    for (int i = 0; i < tokens; i++) {
      assertThat(limiter.tryAcquire("k")).isTrue();
    }
  }

  private boolean isStriped(BucketTable table) {
    SipHash.Hash key = hash.of("k");
    Segment segment = table.segments().of(key.high());
    Stripes stripes = segment.stripesAt(segment.find(key.high(), key.low()));
    return stripes != null && stripes.isOpen();
  }

  private static long units(FixedPointRate fixedRate, long tokens) {
    return fixedRate.units(tokens * 1_000);
  }

  private InProcessStore store(long maxKeys) {
    return InProcessStore.builder()
        .clock(clock)
        .hash(hash)
        .maxKeys(maxKeys)
        .striping(ALWAYS)
        .build();
  }
}
