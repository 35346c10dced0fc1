package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.inprocess.HotKeys.CachedKey;
import io.penstock.testing.ManualClock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HotKeysTest {
  private final SipHash hash = new SipHash(3, 4);
  private final HotKeys keys = new HotKeys();

  @Test
  void find_sampledTwiceInARow_knowsTheHash() {
    keys.sample(hash, "hot");
    assertThat(keys.find("hot")).isNull();
    keys.sample(hash, "hot");
    CachedKey hot = keys.find(new String("hot"));
    assertThat(hot.high).isEqualTo(hash.of("hot").high());
    assertThat(hot.low).isEqualTo(hash.of("hot").low());
  }

  @Test
  void find_anotherKeyOfTheSameHashCode_isAnotherKey() {
    // Strings with equal hash codes share a cache slot, whatever the size of the cache.
    assertThat("Aa".hashCode()).isEqualTo("BB".hashCode());
    keys.sample(hash, "Aa");
    keys.sample(hash, "Aa");
    assertThat(keys.find("Aa")).isNotNull();
    assertThat(keys.find("BB")).isNull();
    keys.sample(hash, "BB");
    keys.sample(hash, "Aa");
    keys.sample(hash, "BB");
    assertThat(keys.find("BB")).as("not twice in a row").isNull();
  }

  @Test
  void isSample_manyOutcomes_isAboutOneInAThousand() {
    long samples = IntStream.range(0, 1 << 20).filter(HotKeys::isSample).count();
    assertThat(samples).isBetween(900L, 1_150L);
  }

  @Test
  void tryAcquire_hotKey_isTheSameBucketAsBefore() {
    ManualClock clock = new ManualClock();
    InProcessStore store = InProcessStore.builder().clock(clock).build();
    RateLimiter limiter = RateLimiter.on(store, "hot", Limit.perSecond(1_000_000).burst(1e9));
    for (int i = 0; i < 100_000; i++) {
      limiter.tryAcquire("key", i % 7 + 1);
    }
    double spent = IntStream.range(0, 100_000).mapToDouble(i -> i % 7 + 1).sum();
    assertThat(limiter.peek("key").remaining()).isEqualTo(1e9 - spent);
    assertThat(store.keys()).isEqualTo(1);
  }
}
