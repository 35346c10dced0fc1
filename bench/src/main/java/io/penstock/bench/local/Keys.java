package io.penstock.bench.local;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Generates the same random keys for all contenders, twice: the inserted keys, and equal ones in
 * another order for requests. The latter are created in the order of use, so that they are adjacent
 * in memory, like the key of a request that a server has just read.
 */
public final class Keys {
  private static final long SEED = 0x9e3779b97f4a7c15L;

  private Keys() {}

  public static String[] inserted(int count) {
    SplittableRandom random = new SplittableRandom(SEED);
    String[] keys = new String[count];
    Arrays.setAll(keys, i -> "user-%016x".formatted(random.nextLong()));
    return keys;
  }

  static String[] requested(String[] inserted) {
    SplittableRandom random = new SplittableRandom(~SEED);
    String[] keys = inserted.clone();
    for (int i = keys.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      String key = keys[i];
      keys[i] = keys[other];
      keys[other] = key;
    }
    Arrays.setAll(keys, i -> copy(keys[i]));
    return keys;
  }

  /** Returns an equal string that shares no memory with the other. */
  public static String copy(String key) {
    return new String(key.toCharArray());
  }
}
