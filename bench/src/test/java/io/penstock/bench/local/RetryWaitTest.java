package io.penstock.bench.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Checks the statement of docs/comparison.md about a caller of Bucket4j that retries after exactly
 * the reported wait. {@code PeerBugsTest} in core checks the same for Penstock.
 */
class RetryWaitTest {
  @Test
  void bucket4j_ofAThousandRates_deniesAt971() {
    assertThat(IntStream.rangeClosed(1, 1_000).filter(RetryWaitTest::isDenied).count())
        .isEqualTo(971);
  }

  private static boolean isDenied(int rate) {
    HandMovedMeter clock = new HandMovedMeter();
    Bucket bucket =
        Bucket.builder()
            .addLimit(limit -> limit.capacity(rate).refillGreedy(rate, Duration.ofSeconds(1)))
            .withCustomTimePrecision(clock)
            .build();
    assertThat(bucket.tryConsume(rate)).isTrue();
    clock.nanos += bucket.tryConsumeAndReturnRemaining(1).getNanosToWaitForRefill();
    return !bucket.tryConsume(1);
  }

  private static final class HandMovedMeter implements TimeMeter {
    private long nanos;

    @Override
    public long currentTimeNanos() {
      return nanos;
    }

    @Override
    public boolean isWallClockBased() {
      return false;
    }
  }
}
