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

  private List<BucketRequest> request(String key, long thousandths) {
    return List.of(new BucketRequest(null, codec, key, key, thousandths, 0));
  }

  private static Decision denied(long retryMillis) {
    return Decision.denied("x", LIMIT, 0, 5_000 * MILLI, retryMillis * MILLI);
  }

  @Test
  void recall_untilTheWaitFromWhenItWasSent_isDenied() {
    long sent = clock.nanos();
    clock.advance(Duration.ofMillis(10));
    memory.note(request("k", 1_000), denied(100), sent);
    clock.advance(Duration.ofMillis(40));
    Decision known = memory.recall(request("k", 1_000));
    assertThat(known.retryAfter()).as("from when it was answered").isEqualTo(Duration.ofMillis(60));
    assertThat(known.resetAfter()).isEqualTo(Duration.ofMillis(4_960));
    clock.advance(Duration.ofMillis(49));
    assertThat(memory.recall(request("k", 1_000))).isNotNull();
    clock.advance(Duration.ofMillis(1));
    assertThat(memory.recall(request("k", 1_000))).isNull();
  }

  @Test
  void recall_largerCost_waitsLongerAndIsResetNoLater() {
    memory.note(request("k", 1_000), denied(100), clock.nanos());
    Decision known = memory.recall(request("k", 2_500));
    assertThat(known.retryAfter()).isEqualTo(Duration.ofMillis(1_600));
    assertThat(known.resetAfter()).isEqualTo(Duration.ofSeconds(5));
    assertThat(memory.recall(request("k", 999))).isNull();
    assertThat(memory.recall(request("k", 5_001))).as("never is not for us to say").isNull();
    assertThat(memory.recall(request("another", 1_000))).isNull();
  }

  @Test
  void recall_betweenTicks_isRoundedUpToOne() {
    memory.note(request("k", 1_000), denied(100), clock.nanos());
    clock.advance(Duration.ofNanos(1));
    assertThat(memory.recall(request("k", 1_000)).retryAfter()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void note_sentBeforeSomethingWasPutBack_isNot() {
    long sent = clock.nanos();
    clock.advance(Duration.ofMillis(1));
    memory.forget("k");
    clock.advance(Duration.ofMillis(1));
    memory.note(request("k", 1_000), denied(100), sent);
    assertThat(memory.recall(request("k", 1_000))).isNull();
    memory.note(request("k", 1_000), denied(100), clock.nanos());
    assertThat(memory.recall(request("k", 1_000))).isNotNull();
  }

  @Test
  void note_longWaitOrNone_isRememberedForASecondAtMost() {
    memory.note(request("k", 1_000), denied(60_000), clock.nanos());
    clock.advance(Duration.ofMillis(999));
    assertThat(memory.recall(request("k", 1_000))).isNotNull();
    clock.advance(Duration.ofMillis(1));
    assertThat(memory.recall(request("k", 1_000))).isNull();
    memory.note(request("k", 1_000), Decision.never("x", LIMIT, 0, 0), clock.nanos());
    assertThat(memory.recall(request("k", 1_000))).isNull();
  }
}
