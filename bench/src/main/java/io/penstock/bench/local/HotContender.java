package io.penstock.bench.local;

import static io.github.bucket4j.local.SynchronizationStrategy.LOCK_FREE;
import static io.github.bucket4j.local.SynchronizationStrategy.SYNCHRONIZED;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;

/** Who competes for one key. Peers are one bucket without a map, to their advantage. */
public enum HotContender {
  PENSTOCK("Penstock") {
    @Override
    Limiter open(Terms terms) {
      return new InPenstock(terms, 1_000_000);
    }
  },
  PENSTOCK_WITHOUT_KEY("Penstock without a key") {
    @Override
    Limiter open(Terms terms) {
      var limiter = io.penstock.RateLimiter.inProcess("bench", terms.limit());
      limiter.tryAcquire();
      return key -> limiter.tryAcquire();
    }
  },
  BUCKET4J_LOCK_FREE("Bucket4j lock-free") {
    @Override
    Limiter open(Terms terms) {
      return bucket4j(terms, LOCK_FREE);
    }
  },
  BUCKET4J_SYNCHRONIZED("Bucket4j synchronized") {
    @Override
    Limiter open(Terms terms) {
      return bucket4j(terms, SYNCHRONIZED);
    }
  },
  GUAVA("Guava (1)") {
    @Override
    Limiter open(Terms terms) {
      RateLimiter limiter = guava(terms);
      return key -> limiter.tryAcquire();
    }
  },
  RESILIENCE4J("Resilience4j (2)") {
    @Override
    Limiter open(Terms terms) {
      var config =
          RateLimiterConfig.custom()
              .limitForPeriod(terms.burst)
              .limitRefreshPeriod(terms.burstPeriod())
              .timeoutDuration(Duration.ZERO)
              .build();
      var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of("bench", config);
      return key -> limiter.acquirePermission();
    }
  },
  FAILSAFE("Failsafe bursty (2)") {
    @Override
    Limiter open(Terms terms) {
      var limiter =
          dev.failsafe.RateLimiter.burstyBuilder(terms.burst, terms.burstPeriod()).build();
      return key -> limiter.tryAcquirePermit();
    }
  },
  NANO_TIME("System.nanoTime() alone") {
    @Override
    Limiter open(Terms terms) {
      return key -> System.nanoTime() != 0;
    }
  };

  /** What the numbers in the labels refer to. */
  static final String NOTES =
      """
      Peers in hot rows are one bucket, without a map; Penstock looks its key up.
      With 1M keys, maps profit from the hash codes that the strings asked with keep from round
      to round, unlike strings that a server has just read. ns/op is the time of one thread.
      (1) Guava has no burst: where the row allows, its rate is 10^9/s instead.
      (2) Counts by period: where the row allows, 10^9 in each 1000 s.
      """;

  final String label;

  HotContender(String label) {
    this.label = label;
  }

  abstract Limiter open(Terms terms);

  /** Whether a RATIO line depends on it. */
  boolean decisive() {
    return this == PENSTOCK
        || this == PENSTOCK_WITHOUT_KEY
        || this == BUCKET4J_LOCK_FREE
        || this == BUCKET4J_SYNCHRONIZED;
  }

  private static Limiter bucket4j(Terms terms, SynchronizationStrategy strategy) {
    Bucket bucket = new Bucket4j(terms, strategy).newBucket();
    return key -> bucket.tryConsume(1);
  }

  /** At its rate alone Guava would deny most, so the burst has to be had within a second. */
  static RateLimiter guava(Terms terms) {
    return RateLimiter.create(
        terms == Terms.ALLOWED ? terms.burst : (double) terms.tokens / terms.period.toSeconds());
  }
}
