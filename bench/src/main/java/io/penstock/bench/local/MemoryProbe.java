package io.penstock.bench.local;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/**
 * Prints how many bytes of heap a limiter takes for a number of keys, beyond the caller's strings.
 * The only thing its JVM does.
 */
final class MemoryProbe {
  private MemoryProbe() {}

  public static void main(String[] args) {
    KeyedContender contender = KeyedContender.valueOf(args[0]);
    String[] keys = Keys.inserted(Integer.parseInt(args[1]));
    long before = usedBytes();
    KeyedLimiter limiter = contender.open(Terms.SLOW, 2L * keys.length);
    try {
      insert(limiter, keys);
      System.out.println(usedBytes() - before);
    } finally {
      Reference.reachabilityFence(limiter);
      Reference.reachabilityFence(keys);
    }
  }

  private static void insert(KeyedLimiter limiter, String[] keys) {
    for (String key : keys) {
      limiter.tryAcquire(key);
    }
    if (limiter.keys() != keys.length) {
      throw new IllegalStateException(
          "%d of %d keys were kept".formatted(limiter.keys(), keys.length));
    }
  }

  private static long usedBytes() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
