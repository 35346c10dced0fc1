package io.penstock.bench.local;

import static io.github.bucket4j.local.SynchronizationStrategy.LOCK_FREE;
import static io.github.bucket4j.local.SynchronizationStrategy.SYNCHRONIZED;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * The contenders on one key. Peers are a single bucket without a map, which is to their advantage.
 */
public enum HotContender {
  PENSTOCK("Penstock") {
    @Override
    Limiter open(LocalLimits limits) {
      return new InPenstock(limits, 1_000_000);
    }
  },
  PENSTOCK_WITHOUT_KEY("Penstock without a key") {
    @Override
    Limiter open(LocalLimits limits) {
      var limiter = io.penstock.RateLimiter.inProcess("bench", limits.limit()).global();
      limiter.tryAcquire();
      return key -> limiter.tryAcquire();
    }
  },
  BUCKET4J_LOCK_FREE("Bucket4j lock-free") {
    @Override
    Limiter open(LocalLimits limits) {
      return bucket4j(limits, LOCK_FREE);
    }
  },
  BUCKET4J_SYNCHRONIZED("Bucket4j synchronized") {
    @Override
    Limiter open(LocalLimits limits) {
      return bucket4j(limits, SYNCHRONIZED);
    }
  },
  GUAVA("Guava (1)") {
    @Override
    Limiter open(LocalLimits limits) {
      RateLimiter limiter = guava(limits);
      return key -> limiter.tryAcquire();
    }
  },
  RESILIENCE4J("Resilience4j (2)") {
    @Override
    Limiter open(LocalLimits limits) {
      var config =
          RateLimiterConfig.custom()
              .limitForPeriod(limits.burst)
              .limitRefreshPeriod(limits.burstPeriod())
              .timeoutDuration(Duration.ZERO)
              .build();
      var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of("bench", config);
      return key -> limiter.acquirePermission();
    }
  },
  FAILSAFE("Failsafe bursty (2)") {
    @Override
    Limiter open(LocalLimits limits) {
      var limiter =
          dev.failsafe.RateLimiter.burstyBuilder(limits.burst, limits.burstPeriod()).build();
      return key -> limiter.tryAcquirePermit();
    }
  },
  NANO_TIME("System.nanoTime() alone") {
    @Override
    Limiter open(LocalLimits limits) {
      return limits == LocalLimits.DENIED
          ? key -> System.nanoTime() == 0
          : key -> System.nanoTime() != 0;
    }
  };

  /** Explains the numbers in the labels. */
  static final String NOTES =
      """
      In the hot-key tables, peers are a single bucket without a map, while Penstock looks up its key.
      With 1M keys, maps benefit from hash codes that the request strings cache from round to round,
      unlike strings that a server has just read. ns/op is the time of one thread. Forks have the collector G1,
      except in the tables that name ParallelGC, whose write barriers are cheaper. best-peer compares with the
      library that has the highest median.
      (1) Guava has no burst: where requests are allowed, its rate is 10^9/s instead.
      (2) Counts by period: where requests are allowed, 10^9 per 1000 s.
      """;

  final String label;

  HotContender(String label) {
    this.label = label;
  }

  abstract Limiter open(LocalLimits limits);

  /** Returns the limiters of other libraries. */
  static Stream<HotContender> peers() {
    return Arrays.stream(values())
        .filter(
            contender ->
                contender != PENSTOCK
                    && contender != PENSTOCK_WITHOUT_KEY
                    && contender != NANO_TIME);
  }

  private static Limiter bucket4j(LocalLimits limits, SynchronizationStrategy strategy) {
    Bucket bucket = new Bucket4j(limits, strategy).newBucket();
    return key -> bucket.tryConsume(1);
  }

  /**
   * Creates a limiter of Guava. At the rate alone it would deny most requests, so the rate allows
   * the burst within a second.
   */
  static RateLimiter guava(LocalLimits limits) {
    return RateLimiter.create(
        limits == LocalLimits.ALLOWED
            ? limits.burst
            : (double) limits.tokens / limits.period.toSeconds());
  }
}
