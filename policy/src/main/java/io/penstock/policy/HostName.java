package io.penstock.policy;

import java.util.Locale;

/** Normalizes host names, so that rules match a host however a request spells it. */
public final class HostName {
  private HostName() {}

  /** Returns a host in lower case, without its port and without a trailing dot. */
  public static String of(String sent) {
    return sent.substring(0, end(sent)).toLowerCase(Locale.ROOT);
  }

  private static int end(String host) {
    int end = host.length();
    int colon = host.lastIndexOf(':');
    boolean bracketed = host.startsWith("[");
    boolean hasPort = bracketed ? host.indexOf(']') == colon - 1 : host.indexOf(':') == colon;
    if (colon > 0 && hasPort && isDigits(host, colon + 1)) {
      end = colon;
    }
    return end > 0 && host.charAt(end - 1) == '.' ? end - 1 : end;
  }

  private static boolean isDigits(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }
}
