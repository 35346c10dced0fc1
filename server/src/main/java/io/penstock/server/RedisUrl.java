package io.penstock.server;

import io.penstock.redis.RedisStore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Validates and masks Redis URLs. Messages never contain a password. */
final class RedisUrl {
  private static final Pattern SCHEME = Pattern.compile("(redis|rediss)(-sentinel|-cluster)?://.*");

  /** Treats everything up to the last @ as secret, however a parser would split it. */
  private static final Pattern WITH_USER = Pattern.compile("([^:]+://)(?:([^:@]*):)?(.*)@([^@]*)");

  private static final String ENCODE_PASSWORD =
      "must be a URL in which characters of a password other than letters, digits and -._~ are"
          + " percent-encoded, such as %40 for @";

  private RedisUrl() {}

  /** Returns what is wrong with a URL; null if it is valid. */
  static @Nullable String check(String url) {
    if (!SCHEME.matcher(url).matches()) {
      return "must begin with redis://, redis-sentinel:// or redis-cluster://, or the same with"
          + " rediss";
    }
    // The text after an unencoded /, ? or # in a password would be read as a host or database.
    String authority = url.substring(url.indexOf("://") + 3).split("[/?#]", 2)[0];
    if (url.indexOf('@') != url.lastIndexOf('@') || (url.contains("@") && !has(authority, '@'))) {
      return ENCODE_PASSWORD;
    }
    try {
      RedisStore.checkUrl(url);
      return null;
    } catch (IllegalArgumentException e) {
      return has(authority, '@') ? ENCODE_PASSWORD : "must be a URL: " + e.getMessage();
    }
  }

  private static boolean has(String text, char sign) {
    return text.indexOf(sign) >= 0;
  }

  /** Returns whether the URL may contain a password. */
  static boolean hasPassword(String url) {
    return has(url, '@');
  }

  /**
   * Returns the URL without its password; a single part before the host is a password, not a user.
   */
  static String masked(String url) {
    Matcher parts = WITH_USER.matcher(url);
    if (!parts.matches()) {
      return url;
    }
    String user = parts.group(2) == null ? "" : parts.group(2) + ":";
    return parts.group(1) + user + Settings.MASK + "@" + parts.group(4);
  }
}
