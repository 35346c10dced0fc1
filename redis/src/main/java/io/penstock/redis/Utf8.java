package io.penstock.redis;

import java.util.Arrays;

/**
 * An injective encoding of strings as bytes: like UTF-8, but unpaired surrogates, which UTF-8 would
 * replace with question marks, are encoded like any other character.
 */
final class Utf8 {
  private Utf8() {}

  static byte[] bytes(String text) {
    byte[] bytes = new byte[3 * text.length()];
    int size = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        bytes[size++] = (byte) c;
      } else if (c < 0x800) {
        bytes[size++] = (byte) (0xc0 | (c >> 6));
        bytes[size++] = (byte) (0x80 | (c & 0x3f));
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        int point = Character.toCodePoint(c, text.charAt(++i));
        bytes[size++] = (byte) (0xf0 | (point >> 18));
        bytes[size++] = (byte) (0x80 | ((point >> 12) & 0x3f));
        bytes[size++] = (byte) (0x80 | ((point >> 6) & 0x3f));
        bytes[size++] = (byte) (0x80 | (point & 0x3f));
      } else {
        bytes[size++] = (byte) (0xe0 | (c >> 12));
        bytes[size++] = (byte) (0x80 | ((c >> 6) & 0x3f));
        bytes[size++] = (byte) (0x80 | (c & 0x3f));
      }
    }
    return Arrays.copyOf(bytes, size);
  }
}
