package io.penstock.redis;

/**
 * The names of buckets in Redis: {@code penstock:1t:user:{42}}, where 1 is the version of what is
 * kept there and t its kind.
 *
 * <p>The braces are a hash tag: in a cluster, buckets of one key lie together whatever their name.
 * A bucket for everybody has its name for a tag, and a capital letter for its kind.
 */
final class RedisKeys {
  private static final char VERSION = '1';

  private RedisKeys() {}

  /** What the keys of all buckets of one name begin with. */
  static String prefix(String prefix, char family, String name) {
    return prefix + VERSION + family + ':' + escape(name);
  }

  /** The key in Redis of a bucket. */
  static String of(String prefix, String key) {
    return key.isEmpty() ? whole(prefix) : prefix + ":{" + key + "}";
  }

  private static String whole(String prefix) {
    // Only our own part has a colon before the name, which has none that is not escaped.
    int name = prefix.lastIndexOf(':') + 1;
    int family = name - 2;
    return prefix.substring(0, family)
        + Character.toUpperCase(prefix.charAt(family))
        + ":{"
        + prefix.substring(name)
        + "}";
  }

  /** So that a name can't be mistaken for a name and a key. */
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
