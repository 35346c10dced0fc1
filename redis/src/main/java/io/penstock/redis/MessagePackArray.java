package io.penstock.redis;

import java.util.Arrays;

/**
 * Integers in MessagePack, which Redis parses much faster than decimal arguments: up to 15 as one
 * value after another, more as an array. Integers must be at least -1. Not thread-safe.
 */
final class MessagePackArray {
  private static final int HEADER = 5;

  /** As many as a call with one request has. Scripts read them faster without an array. */
  private static final int MAX_SEPARATE = 15;

  private byte[] bytes = new byte[256];
  private int size = HEADER;
  private int count;

  MessagePackArray add(long number) {
    if (size + 9 > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length);
    }
    count++;
    if (number >= -1 && number < 0x80) {
      // A single byte; for -1, it is 0xff.
      bytes[size++] = (byte) number;
    } else if (number < 0x10000) {
      put(0xcd, number, 2);
    } else if (number <= 0xffffffffL) {
      put(0xce, number, 4);
    } else {
      put(0xcf, number, 8);
    }
    return this;
  }

  private void put(int type, long number, int length) {
    bytes[size++] = (byte) type;
    for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) {
      bytes[size++] = (byte) (number >>> shift);
    }
  }

  /** Returns the encoded integers. */
  byte[] toBytes() {
    if (count <= MAX_SEPARATE) {
      return Arrays.copyOfRange(bytes, HEADER, size);
    }
    bytes[0] = (byte) 0xdd;
    for (int i = 0; i < 4; i++) {
      bytes[1 + i] = (byte) (count >>> (24 - 8 * i));
    }
    return Arrays.copyOf(bytes, size);
  }
}
