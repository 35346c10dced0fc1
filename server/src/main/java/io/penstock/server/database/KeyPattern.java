package io.penstock.server.database;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The key pattern of a row: {@code user:{user_id}}, {@code ip:{ip}}, {@code endpoint:/path} or
 * {@code global}. Attributes are in braces; the text around them is only for readers. Immutable.
 *
 * @param keys the rule's {@code limit_keys}
 * @param path the path of the rule; null for any
 */
record KeyPattern(List<String> keys, @Nullable String path) {
  static final String GLOBAL = "global";
  static final String ENDPOINT = "endpoint:";

  private static final Pattern IN_BRACES = Pattern.compile("\\{([^{}]+)}");
  private static final String SHORT_ADDRESS = "ip";
  private static final String ADDRESS = "ip:address";

  KeyPattern {
    keys = List.copyOf(keys);
  }

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  static KeyPattern parse(String text) {
    if (text.equals(GLOBAL)) {
      return new KeyPattern(List.of(), null);
    }
    if (text.startsWith(ENDPOINT)) {
      if (text.indexOf('{') >= 0 || text.indexOf('}') >= 0) {
        throw new IllegalArgumentException(
            "a path must not contain braces; use * as a wildcard: " + text);
      }
      return new KeyPattern(List.of(), text.substring(ENDPOINT.length()));
    }
    List<String> keys = new ArrayList<>();
    Matcher matcher = IN_BRACES.matcher(text);
    while (matcher.find()) {
      keys.add(
          Arrays.stream(matcher.group(1).split("\\|", -1))
              .map(name -> name.equals(SHORT_ADDRESS) ? ADDRESS : name)
              .collect(Collectors.joining("|")));
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException(
          "must be global, endpoint:/path or contain keys in braces, such as user:{user_id}: "
              + text);
    }
    return new KeyPattern(keys, null);
  }

  /**
   * Returns the pattern for {@code limit_keys}.
   *
   * @throws IllegalArgumentException if they can't be expressed as a pattern
   */
  static String of(List<String> keys) {
    for (String key : keys) {
      if (key.indexOf('{') >= 0 || key.indexOf('}') >= 0) {
        throw new IllegalArgumentException("must not contain braces in a database: " + key);
      }
      if (Arrays.asList(key.split("\\|")).contains(SHORT_ADDRESS)) {
        throw new IllegalArgumentException(
            "must not use ip as an attribute in a database, where it means ip:address: " + key);
      }
    }
    if (keys.isEmpty()) {
      return GLOBAL;
    }
    if (keys.equals(List.of("user_id"))) {
      return "user:{user_id}";
    }
    if (keys.equals(List.of(ADDRESS))) {
      return "ip:{ip}";
    }
    return keys.stream().map(key -> "{" + key + "}").collect(Collectors.joining(":"));
  }

  /** Returns the scope of a rule with the given {@code limit_keys}. */
  static String scopeOf(List<String> keys, boolean hasPath) {
    if (keys.isEmpty()) {
      return hasPath ? "endpoint" : GLOBAL;
    }
    if (keys.equals(List.of(ADDRESS))) {
      return "ip";
    }
    String first = keys.get(0);
    return first.equals("user_id") || first.startsWith("user_id|") ? "user" : word(first);
  }

  private static String word(String key) {
    String word =
        key.replaceAll(".*:", "").replaceAll("[^a-z0-9_-]", "").replaceAll("^[^a-z]+", "");
    return word.isEmpty() ? "key" : word.substring(0, Math.min(word.length(), 32));
  }
}
