package io.penstock.bench.local;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/**
 * Prints the heap bytes of a limiter with a number of keys, excluding the caller's strings. Runs in
 * its own JVM.
 */
final class MemoryProbe {
  private MemoryProbe() {}

  public static void main(String[] args) {
    KeyedContender contender = KeyedContender.valueOf(args[0]);
    String[] keys = Keys.inserted(Integer.parseInt(args[1]));
    long before = usedBytes();
    KeyedLimiter limiter = contender.open(LocalLimits.SLOW, 2L * keys.length);
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
          "only %d of %d keys were kept".formatted(limiter.keys(), keys.length));
    }
  }

  private static long usedBytes() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
