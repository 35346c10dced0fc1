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
  private final @Nullable CachedValue<T>[] cached;

  private record CachedValue<V>(String text, V value) {}

  @SuppressWarnings("unchecked") // An array of a generic type can't be created otherwise.
  ByteCache(Function<String, T> conversion) {
    this.conversion = conversion;
    this.cached = (@Nullable CachedValue<T>[]) new @Nullable CachedValue<?>[SIZE];
  }

  /** Returns the value of a range of UTF-8 bytes. Invalid bytes become U+FFFD. */
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
    CachedValue<T> recent = cached[slot];
    if (recent != null && isEqual(recent.text, bytes, from, to)) {
      return recent.value;
    }
    String text = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    T value = conversion.apply(text);
    cached[slot] = new CachedValue<>(text, value);
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
