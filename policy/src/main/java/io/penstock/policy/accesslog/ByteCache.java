package io.penstock.policy.accesslog;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Converts bytes to values and remembers recent ones, because most values in a log repeat. Not
 * thread-safe.
 */
final class ByteCache<T> {
  private static final int SIZE = 1 << 14;
  private static final int MAX_LENGTH = 256;

  private final Function<String, T> conversion;
  private final @Nullable String[] texts = new @Nullable String[SIZE];
  private final @Nullable Object[] values = new @Nullable Object[SIZE];

  ByteCache(Function<String, T> conversion) {
    this.conversion = conversion;
  }

  /** Returns the value of a range of UTF-8 bytes. Invalid bytes become U+FFFD. */
  @SuppressWarnings("unchecked") // Only values of the conversion are stored.
  T get(byte[] bytes, int from, int to) {
    int hash = 0;
    int any = 0;
    for (int i = from; i < to; i++) {
      hash = hash * 31 + bytes[i];
      any |= bytes[i];
    }
    if (any < 0 || to - from > MAX_LENGTH) {
      return conversion.apply(new String(bytes, from, to - from, StandardCharsets.UTF_8));
    }
    int slot = (hash ^ hash >>> 14) & (SIZE - 1);
    String known = texts[slot];
    if (known != null && isEqual(known, bytes, from, to)) {
      return (T) values[slot];
    }
    String text = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    T value = conversion.apply(text);
    texts[slot] = text;
    values[slot] = value;
    return value;
  }

  private static boolean isEqual(String text, byte[] bytes, int from, int to) {
    if (text.length() != to - from) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (text.charAt(i - from) != bytes[i]) {
        return false;
      }
    }
    return true;
  }
}
