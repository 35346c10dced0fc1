package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.TokenBucket;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DenialMemoryTest {
  private static final TokenBucket LIMIT = Limit.perSecond(1).burst(5);
  private static final long MILLI = 1_000_000;

  private final ManualClock clock = new ManualClock();
  private final DenialMemory memory = new DenialMemory(clock::nanos);
  private final TokenBucketCodec codec = new TokenBucketCodec("x", LIMIT, List.of());

  private List<RedisClaim> request(String key, long thousandths) {
    return List.of(new RedisClaim(null, codec, key, key, thousandths, 0));
  }

  private static Decision denied(long retryMillis) {
    return Decision.deny("x", LIMIT, 0, 5_000 * MILLI, retryMillis * MILLI);
  }

  @Test
  void find_untilTheWaitFromTheTimeOfSending_isDenied() {
    long sent = clock.nanos();
    clock.advance(Duration.ofMillis(10));
    memory.add(request("k", 1_000), denied(100), sent);
    clock.advance(Duration.ofMillis(40));
    Decision known = memory.find(request("k", 1_000));
    assertThat(known.retryAfter())
        .as("from the time of the response")
        .isEqualTo(Duration.ofMillis(60));
    assertThat(known.resetAfter()).isEqualTo(Duration.ofMillis(4_960));
    clock.advance(Duration.ofMillis(49));
    assertThat(memory.find(request("k", 1_000))).isNotNull();
    clock.advance(Duration.ofMillis(1));
    assertThat(memory.find(request("k", 1_000))).isNull();
  }

  @Test
  void find_largerCost_waitsLongerAndIsResetNoLater() {
    memory.add(request("k", 1_000), denied(100), clock.nanos());
    Decision known = memory.find(request("k", 2_500));
    assertThat(known.retryAfter()).isEqualTo(Duration.ofMillis(1_600));
    assertThat(known.resetAfter()).isEqualTo(Duration.ofSeconds(5));
    assertThat(memory.find(request("k", 999))).isNull();
    assertThat(memory.find(request("k", 5_001))).as("only Redis decides never").isNull();
    assertThat(memory.find(request("another", 1_000))).isNull();
  }

  @Test
  void find_later_hasWhatWasRefilledSince() {
    Decision denial = Decision.deny("x", LIMIT, 500, 4_500 * MILLI, 500 * MILLI);
    memory.add(request("k", 1_000), denial, clock.nanos());
    clock.advance(Duration.ofMillis(300));
    Decision known = memory.find(request("k", 1_000));
    assertThat(known.remainingThousandths()).isEqualTo(800);
    assertThat(known.retryAfter()).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void find_betweenTicks_isRoundedUp() {
    memory.add(request("k", 1_000), denied(100), clock.nanos());
    clock.advance(Duration.ofNanos(1));
    assertThat(memory.find(request("k", 1_000)).retryAfter()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void add_sentBeforeTokensWereReturned_isIgnored() {
    long sent = clock.nanos();
    clock.advance(Duration.ofMillis(1));
    memory.forget("k");
    clock.advance(Duration.ofMillis(1));
    memory.add(request("k", 1_000), denied(100), sent);
    assertThat(memory.find(request("k", 1_000))).isNull();
    memory.add(request("k", 1_000), denied(100), clock.nanos());
    assertThat(memory.find(request("k", 1_000))).isNotNull();
  }

  @Test
  void add_longWaitOrNever_isKeptForASecondAtMost() {
    memory.add(request("k", 1_000), denied(60_000), clock.nanos());
    clock.advance(Duration.ofMillis(999));
    assertThat(memory.find(request("k", 1_000))).isNotNull();
    clock.advance(Duration.ofMillis(1));
    assertThat(memory.find(request("k", 1_000))).isNull();
    memory.add(request("k", 1_000), Decision.denyCostAboveBurst("x", LIMIT, 0, 0), clock.nanos());
    assertThat(memory.find(request("k", 1_000))).isNull();
  }
}
