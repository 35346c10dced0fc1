package io.penstock.policy.advice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers the combinations of a {@link RequestClass} and a key that occur in a log. Not
 * thread-safe.
 */
final class PairTable {
  private static final int FREE = -1;

  private final Map<String, Integer> keyIds = new HashMap<>();
  private final List<String> keys = new ArrayList<>();
  private int[] table = new int[1 << 10];
  private int[] classes = new int[1 << 9];

  /** The key of each pair; complemented if the pair is always denied. */
  private int[] signedKeys = new int[1 << 9];

  private int size;

  PairTable() {
    Arrays.fill(table, FREE);
  }

  /**
   * Returns the number of a pair.
   *
   * @param isDenied whether a rule denies the requests without a bucket
   */
  int id(int classId, String key, boolean isDenied) {
    Integer known = keyIds.get(key);
    int keyId = known == null ? keys.size() : known;
    if (known == null) {
      keyIds.put(key, keyId);
      keys.add(key);
    }
    int signed = isDenied ? ~keyId : keyId;
    int at = slot(classId, signed);
    while (table[at] != FREE) {
      if (classes[table[at]] == classId && signedKeys[table[at]] == signed) {
        return table[at];
      }
      at = (at + 1) & (table.length - 1);
    }
    table[at] = size;
    return add(classId, signed);
  }

  private int add(int classId, int signed) {
    if (size == classes.length) {
      classes = Arrays.copyOf(classes, 2 * size);
      signedKeys = Arrays.copyOf(signedKeys, 2 * size);
    }
    classes[size] = classId;
    signedKeys[size] = signed;
    size++;
    if (2 * size > table.length) {
      table = new int[2 * table.length];
      Arrays.fill(table, FREE);
      for (int i = 0; i < size; i++) {
        int at = slot(classes[i], signedKeys[i]);
        while (table[at] != FREE) {
          at = (at + 1) & (table.length - 1);
        }
        table[at] = i;
      }
    }
    return size - 1;
  }

  private int slot(int classId, int signed) {
    long hash = (((long) classId << 32) | (signed & 0xffff_ffffL)) * 0x9e37_79b9_7f4a_7c15L;
    return (int) (hash >>> 33) & (table.length - 1);
  }

  /** Returns the number of pairs. */
  int size() {
    return size;
  }

  /** Returns the number of different keys. */
  int keys() {
    return keys.size();
  }

  int classId(int pair) {
    return classes[pair];
  }

  int keyId(int pair) {
    return isDenied(pair) ? ~signedKeys[pair] : signedKeys[pair];
  }

  boolean isDenied(int pair) {
    return signedKeys[pair] < 0;
  }

  String key(int keyId) {
    return keys.get(keyId);
  }
}
