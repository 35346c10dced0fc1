package io.penstock.policy;

import java.util.Arrays;

/** A reusable set of numbers, merged from several ascending lists. Not thread-safe. */
final class SortedIds {
  private int[] ids = new int[16];
  private int size;
  private boolean sorted = true;

  void clear() {
    size = 0;
    sorted = true;
  }

  void addAll(int[] more) {
    if (more.length == 0) {
      return;
    }
    if (size + more.length > ids.length) {
      ids = Arrays.copyOf(ids, Math.max(2 * ids.length, size + more.length));
    }
    sorted &= size == 0 || ids[size - 1] < more[0];
    System.arraycopy(more, 0, ids, size, more.length);
    size += more.length;
  }

  /** Sorts the numbers, removes duplicates, and returns how many there are. */
  int sort() {
    if (!sorted) {
      Arrays.sort(ids, 0, size);
      int kept = 1;
      for (int i = 1; i < size; i++) {
        if (ids[i] != ids[i - 1]) {
          ids[kept++] = ids[i];
        }
      }
      size = kept;
      sorted = true;
    }
    return size;
  }

  int get(int i) {
    return ids[i];
  }
}
