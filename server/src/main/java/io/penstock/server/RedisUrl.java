package io.penstock.server;

import io.penstock.redis.RedisStore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How the URL of a Redis is checked and shown. Nothing here repeats a password. */
final class RedisUrl {
  private static final Pattern SCHEME = Pattern.compile("(redis|rediss)(-sentinel|-cluster)?://.*");

  /** Everything up to the last @ may be secret, whatever a parser would make of it. */
  private static final Pattern WITH_USER = Pattern.compile("([^:]+://)(?:([^:@]*):)?(.*)@([^@]*)");

  private static final String ENCODE =
      "must be a URL in which other characters of a password than letters, digits and -._~ are"
          + " percent-encoded, such as %40 for @";

  private RedisUrl() {}

  /** What is wrong with a URL; null if it is good. */
  static @Nullable String wrong(String url) {
    if (!SCHEME.matcher(url).matches()) {
      return "must begin with redis://, redis-sentinel:// or redis-cluster://, or the same with"
          + " rediss";
    }
    // What follows a bare /, ? or # of a password would be taken for a host or a database.
    String authority = url.substring(url.indexOf("://") + 3).split("[/?#]", 2)[0];
    if (url.indexOf('@') != url.lastIndexOf('@') || (url.contains("@") && !has(authority, '@'))) {
      return ENCODE;
    }
    try {
      RedisStore.checkUrl(url);
      return null;
    } catch (IllegalArgumentException e) {
      return has(authority, '@') ? ENCODE : "must be a URL: " + e.getMessage();
    }
  }

  private static boolean has(String text, char sign) {
    return text.indexOf(sign) >= 0;
  }

  /** Whether there is something to hide. */
  static boolean hasPassword(String url) {
    return has(url, '@');
  }

  /** The URL without its password; who has only one part before the host has a password. */
  static String masked(String url) {
    Matcher parts = WITH_USER.matcher(url);
    if (!parts.matches()) {
      return url;
    }
    String user = parts.group(2) == null ? "" : parts.group(2) + ":";
    return parts.group(1) + user + Settings.MASK + "@" + parts.group(4);
  }
}
