package io.penstock.policy.http;

/**
 * The one way to write a path that can be written in many, so that nobody gets around a rule by
 * spelling: {@code //a/./b/../%63} is {@code /a/c}.
 *
 * <p>Escapes of characters that need none are undone, those that remain are in upper case, {@code
 * .} and {@code ..} segments are resolved, and slashes in a row are one. An escaped slash stays
 * what it is: origins differ in what they make of it; a percent sign that escapes nothing is
 * escaped itself. The query is left alone.
 */
public final class NormalPath {
  private static final String UNRESERVED = "-._~";

  private NormalPath() {}

  /** The target of a request with its path made normal; the same object if it is already. */
  public static String of(String target) {
    int end = target.indexOf('?');
    int length = end < 0 ? target.length() : end;
    if (isNormal(target, length)) {
      return target;
    }
    String path = withoutDots(unescaped(target, length));
    return end < 0 ? path : path + target.substring(end);
  }

  private static boolean isNormal(String target, int length) {
    if (length == 0 || target.charAt(0) != '/') {
      return false;
    }
    boolean afterSlash = false;
    for (int i = 0; i < length; i++) {
      char c = target.charAt(i);
      if (c == '%' || c == '#' || (afterSlash && (c == '/' || c == '.'))) {
        return false;
      }
      afterSlash = c == '/';
    }
    return true;
  }

  private static String unescaped(String target, int length) {
    StringBuilder path = new StringBuilder(length + 1);
    for (int i = 0; i < length; i++) {
      char c = target.charAt(i);
      if (c == '#') {
        break;
      }
      int value = c == '%' ? escape(target, i, length) : -1;
      if (value >= 0) {
        append((char) value, path);
        i += 2;
      } else if (c == '%') {
        // Left as it is, it could make an escape together with what is undone behind it.
        path.append("%25");
      } else {
        path.append(c);
      }
    }
    return path.toString();
  }

  /** The value of an escape; negative if it is none. */
  private static int escape(String target, int at, int length) {
    if (at + 2 >= length) {
      return -1;
    }
    int high = Character.digit(target.charAt(at + 1), 16);
    int low = Character.digit(target.charAt(at + 2), 16);
    boolean ascii = target.charAt(at + 1) < 0x80 && target.charAt(at + 2) < 0x80;
    return high < 0 || low < 0 || !ascii ? -1 : 16 * high + low;
  }

  private static void append(char value, StringBuilder path) {
    boolean letterOrDigit =
        (value >= 'a' && value <= 'z')
            || (value >= 'A' && value <= 'Z')
            || (value >= '0' && value <= '9');
    if (letterOrDigit || UNRESERVED.indexOf(value) >= 0) {
      path.append(value);
    } else {
      path.append('%');
      path.append(Character.toUpperCase(Character.forDigit(value >> 4, 16)));
      path.append(Character.toUpperCase(Character.forDigit(value & 15, 16)));
    }
  }

  private static String withoutDots(String path) {
    StringBuilder normal = new StringBuilder(path.length() + 1);
    int length = path.length();
    int from = 0;
    while (from <= length) {
      int slash = path.indexOf('/', from);
      int to = slash < 0 ? length : slash;
      boolean last = to == length;
      String segment = path.substring(from, to);
      if (segment.equals("..")) {
        normal.setLength(Math.max(0, normal.lastIndexOf("/")));
        endIn(normal, last);
      } else if (segment.equals(".") || segment.isEmpty()) {
        endIn(normal, last);
      } else {
        normal.append('/').append(segment);
      }
      from = to + 1;
    }
    return normal.length() == 0 ? "/" : normal.toString();
  }

  /** A path that ends in nothing, or in dots, ends in a slash. */
  private static void endIn(StringBuilder normal, boolean last) {
    if (last) {
      normal.append('/');
    }
  }
}
