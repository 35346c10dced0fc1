package io.penstock.server.figures;

import org.jspecify.annotations.Nullable;

/**
 * A fixed number of counts that are overwritten in turn. Not thread-safe. It takes no memory until
 * a count is not zero, and then one, two or four bytes per count, as the largest one requires.
 */
final class CountRing {
  private static final int MAX_BYTE = 0xff;

  private final int size;
  private byte @Nullable [] bytes;
  private char @Nullable [] chars;
  private int @Nullable [] ints;

  CountRing(int size) {
    this.size = size;
  }

  /** Returns the count at a position on a scale that never wraps, such as a second. */
  int get(long position) {
    int slot = slot(position);
    if (ints != null) {
      return ints[slot];
    }
    if (chars != null) {
      return chars[slot];
    }
    return bytes == null ? 0 : bytes[slot] & MAX_BYTE;
  }

  /** Sets a count; a value above the max of an int becomes that. */
  void set(long position, long count) {
    int value = (int) Math.min(Integer.MAX_VALUE, count);
    int slot = slot(position);
    if (ints != null) {
      ints[slot] = value;
    } else if (value > Character.MAX_VALUE) {
      widenToInts()[slot] = value;
    } else if (chars != null) {
      chars[slot] = (char) value;
    } else if (value > MAX_BYTE) {
      widenToChars()[slot] = (char) value;
    } else if (bytes != null) {
      bytes[slot] = (byte) value;
    } else if (value > 0) {
      bytes = new byte[size];
      bytes[slot] = (byte) value;
    }
  }

  private int slot(long position) {
    return (int) Math.floorMod(position, (long) size);
  }

  private char[] widenToChars() {
    char[] wider = new char[size];
    for (int i = 0; i < size; i++) {
      wider[i] = (char) get(i);
    }
    chars = wider;
    bytes = null;
    return wider;
  }

  private int[] widenToInts() {
    int[] wider = new int[size];
    for (int i = 0; i < size; i++) {
      wider[i] = get(i);
    }
    ints = wider;
    chars = null;
    bytes = null;
    return wider;
  }

  /** Returns the sum of the counts from {@code first} to before {@code end}. */
  long sum(long first, long end) {
    long sum = 0;
    for (long position = first; position < end && memory() > 0; position++) {
      sum += get(position);
    }
    return sum;
  }

  /** Returns the size of the counts in bytes. */
  int memory() {
    return ints != null ? 4 * size : chars != null ? 2 * size : bytes != null ? size : 0;
  }
}
