package io.penstock.policy;

import java.util.Locale;

/** Hosts as rules see them, the same however a request says which one it wants. */
public final class HostName {
  private HostName() {}

  /** A host in lower case, without its port and without the dot of the root. */
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
