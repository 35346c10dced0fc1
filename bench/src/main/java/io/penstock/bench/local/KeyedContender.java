package io.penstock.bench.local;

import static io.github.bucket4j.local.SynchronizationStrategy.LOCK_FREE;
import static io.github.bucket4j.local.SynchronizationStrategy.SYNCHRONIZED;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;

/** Who competes for many keys. */
public enum KeyedContender {
  PENSTOCK("Penstock") {
    @Override
    KeyedLimiter open(Terms terms, long maxKeys) {
      return new InPenstock(terms, maxKeys);
    }
  },
  BUCKET4J_LOCK_FREE_MAP("Bucket4j lock-free in ConcurrentHashMap") {
    @Override
    KeyedLimiter open(Terms terms, long maxKeys) {
      return inMap(terms, LOCK_FREE);
    }
  },
  BUCKET4J_SYNCHRONIZED_MAP("Bucket4j synchronized in ConcurrentHashMap") {
    @Override
    KeyedLimiter open(Terms terms, long maxKeys) {
      return inMap(terms, SYNCHRONIZED);
    }
  },
  BUCKET4J_LOCK_FREE_CAFFEINE("Bucket4j lock-free in Caffeine") {
    @Override
    KeyedLimiter open(Terms terms, long maxKeys) {
      return inCaffeine(terms, LOCK_FREE, maxKeys);
    }
  },
  BUCKET4J_SYNCHRONIZED_CAFFEINE("Bucket4j synchronized in Caffeine") {
    @Override
    KeyedLimiter open(Terms terms, long maxKeys) {
      return inCaffeine(terms, SYNCHRONIZED, maxKeys);
    }
  },
  GUAVA_MAP("Guava in ConcurrentHashMap (1)") {
    @Override
    KeyedLimiter open(Terms terms, long maxKeys) {
      return new InMap<>(key -> HotContender.guava(terms), limiter -> limiter.tryAcquire());
    }
  };

  final String label;

  KeyedContender(String label) {
    this.label = label;
  }

  /** A limiter that keeps up to {@code maxKeys}, where it can be told. */
  abstract KeyedLimiter open(Terms terms, long maxKeys);

  private static KeyedLimiter inMap(Terms terms, SynchronizationStrategy strategy) {
    Bucket4j bucket4j = new Bucket4j(terms, strategy);
    return new InMap<Bucket>(key -> bucket4j.newBucket(), bucket -> bucket.tryConsume(1));
  }

  private static KeyedLimiter inCaffeine(
      Terms terms, SynchronizationStrategy strategy, long maxKeys) {
    Bucket4j bucket4j = new Bucket4j(terms, strategy);
    return new InCaffeine<Bucket>(
        maxKeys, key -> bucket4j.newBucket(), bucket -> bucket.tryConsume(1));
  }
}
