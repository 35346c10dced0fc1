package io.penstock.policy.address;

/**
 * Compares header names the way CGI does: {@code X_Api_Key} and {@code X.Api.Key} become {@code
 * HTTP_X_API_KEY}, like {@code X-Api-Key}. Many origins that use this convention can't distinguish
 * them.
 */
public final class HeaderName {
  private HeaderName() {}

  /** Returns whether some origins read {@code sent} as {@code name} although it is another name. */
  public static boolean isOtherSpelling(CharSequence sent, String name) {
    int length = name.length();
    if (sent.length() != length) {
      return false;
    }
    boolean equal = true;
    for (int i = 0; i < length; i++) {
      char a = lower(sent.charAt(i));
      char b = lower(name.charAt(i));
      if (a != b) {
        if (isAlphanumeric(a) || isAlphanumeric(b)) {
          return false;
        }
        equal = false;
      }
    }
    return !equal;
  }

  private static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
  }

  private static boolean isAlphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }
}
