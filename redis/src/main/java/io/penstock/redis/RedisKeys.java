package io.penstock.redis;

/**
 * The keys of buckets in Redis: {@code penstock:1t:user:{42}}, where 1 is the version of the format
 * and t is the kind of the limit.
 *
 * <p>The braces are a hash tag: in a cluster, all buckets of one key are in the same slot, whatever
 * their names. The key of a global bucket has the name as its hash tag, and a capital letter for
 * the kind.
 */
final class RedisKeys {
  private static final char VERSION = '1';

  private RedisKeys() {}

  /** Returns the prefix of the keys of all buckets with one name. */
  static String prefix(String prefix, char family, String name) {
    return prefix + VERSION + family + ':' + escape(name);
  }

  /** Returns the key of a bucket in Redis. */
  static String of(String prefix, String key) {
    return key.isEmpty() ? globalKey(prefix) : prefix + ":{" + key + "}";
  }

  private static String globalKey(String prefix) {
    // The last colon precedes the name, because colons in names are escaped.
    int name = prefix.lastIndexOf(':') + 1;
    int family = name - 2;
    return prefix.substring(0, family)
        + Character.toUpperCase(prefix.charAt(family))
        + ":{"
        + prefix.substring(name)
        + "}";
  }

  /** Escapes a name, so that a name and a key can't be confused. */
  private static String escape(String name) {
    StringBuilder escaped = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '%' || c == ':' || c == '{' || c == '}') {
        escaped.append('%').append(Integer.toHexString(c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }
}
