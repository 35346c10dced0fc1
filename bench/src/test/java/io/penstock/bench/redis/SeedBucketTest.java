package io.penstock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.KeyValue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SeedBucketTest {
  @Test
  void refilled_new_isFull() {
    List<KeyValue<String, String>> none = List.of(KeyValue.empty("tokens"), KeyValue.empty("ts"));
    SeedBucket bucket = SeedBucket.refilled(none, RedisLimits.TIGHT, 5_000);
    assertThat(bucket).isEqualTo(new SeedBucket(10, 5_000));
    assertThat(bucket.charged()).isEqualTo(Map.of("tokens", "9.0", "ts", "5000"));
  }

  @Test
  void refilled_aTenthOfASecondLater_hasOneMoreToken() {
    assertThat(refilled("0.5", 5_100).tokens()).isEqualTo(1.5);
  }

  @Test
  void refilled_clockBehind_addsNoTokens() {
    SeedBucket bucket = refilled("0.5", 4_000);
    assertThat(bucket.tokens()).isEqualTo(0.5);
    assertThat(bucket.allows()).isFalse();
    assertThat(bucket.charged()).containsEntry("tokens", "0.0");
  }

  private static SeedBucket refilled(String tokens, long nowMillis) {
    return SeedBucket.refilled(
        List.of(KeyValue.just("tokens", tokens), KeyValue.just("ts", "5000")),
        RedisLimits.TIGHT,
        nowMillis);
  }
}
