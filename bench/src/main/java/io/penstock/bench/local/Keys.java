package io.penstock.bench.local;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The same random keys for everybody, twice: as inserted, and equal ones in another order to ask
 * with. These are made in the order of their use, so that they lie side by side in memory: a server
 * has just read the key of a request, too.
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

  static String[] asked(String[] inserted) {
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

  /** An equal string that shares nothing with the other. */
  public static String copy(String key) {
    return new String(key.toCharArray());
  }
}
