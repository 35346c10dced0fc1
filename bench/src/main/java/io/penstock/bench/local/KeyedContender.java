package io.penstock.bench.local;

import static io.github.bucket4j.local.SynchronizationStrategy.LOCK_FREE;
import static io.github.bucket4j.local.SynchronizationStrategy.SYNCHRONIZED;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;
import java.util.Arrays;
import java.util.stream.Stream;

/** The contenders on many keys. */
public enum KeyedContender {
  PENSTOCK("Penstock") {
    @Override
    KeyedLimiter open(LocalLimits limits, long maxKeys) {
      return new InPenstock(limits, maxKeys);
    }
  },
  BUCKET4J_LOCK_FREE_MAP("Bucket4j lock-free in ConcurrentHashMap") {
    @Override
    KeyedLimiter open(LocalLimits limits, long maxKeys) {
      return inMap(limits, LOCK_FREE);
    }
  },
  BUCKET4J_SYNCHRONIZED_MAP("Bucket4j synchronized in ConcurrentHashMap") {
    @Override
    KeyedLimiter open(LocalLimits limits, long maxKeys) {
      return inMap(limits, SYNCHRONIZED);
    }
  },
  BUCKET4J_LOCK_FREE_CAFFEINE("Bucket4j lock-free in Caffeine") {
    @Override
    KeyedLimiter open(LocalLimits limits, long maxKeys) {
      return inCaffeine(limits, LOCK_FREE, maxKeys);
    }
  },
  BUCKET4J_SYNCHRONIZED_CAFFEINE("Bucket4j synchronized in Caffeine") {
    @Override
    KeyedLimiter open(LocalLimits limits, long maxKeys) {
      return inCaffeine(limits, SYNCHRONIZED, maxKeys);
    }
  },
  GUAVA_MAP("Guava in ConcurrentHashMap (1)") {
    @Override
    KeyedLimiter open(LocalLimits limits, long maxKeys) {
      return new InMap<>(key -> HotContender.guava(limits), limiter -> limiter.tryAcquire());
    }
  };

  final String label;

  KeyedContender(String label) {
    this.label = label;
  }

  /** Returns the limiters of other libraries. */
  static Stream<KeyedContender> peers() {
    return Arrays.stream(values()).filter(contender -> contender != PENSTOCK);
  }

  /** Creates a limiter that keeps up to {@code maxKeys} keys, if it has such a limit. */
  abstract KeyedLimiter open(LocalLimits limits, long maxKeys);

  private static KeyedLimiter inMap(LocalLimits limits, SynchronizationStrategy strategy) {
    Bucket4j bucket4j = new Bucket4j(limits, strategy);
    return new InMap<Bucket>(key -> bucket4j.newBucket(), bucket -> bucket.tryConsume(1));
  }

  private static KeyedLimiter inCaffeine(
      LocalLimits limits, SynchronizationStrategy strategy, long maxKeys) {
    Bucket4j bucket4j = new Bucket4j(limits, strategy);
    return new InCaffeine<Bucket>(
        maxKeys, key -> bucket4j.newBucket(), bucket -> bucket.tryConsume(1));
  }
}
