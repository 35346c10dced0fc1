package io.penstock.policy.path;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/** Decodes and encodes the characters of paths and path patterns. */
final class PathText {
  private static final String UNRESERVED = "-._~";

  /**
   * Characters that may appear unescaped in a segment and mean the same as their escapes to
   * origins.
   */
  private static final String DELIMITERS = "!$&'()+,:=@";

  private static final String SPACE = "%20";
  private static final int DELETE = 0x7f;

  private final PathSettings settings;
  private final boolean matching;

  /**
   * @param matching whether each character gets its canonical spelling
   */
  PathText(PathSettings settings, boolean matching) {
    this.settings = settings;
    this.matching = matching;
  }

  /** Decodes the escapes of a path up to a fragment; null if the request has to be rejected. */
  @Nullable String unescaped(String target, int length) {
    StringBuilder path = new StringBuilder(length + 1);
    for (int i = 0; i < length; i++) {
      char c = target.charAt(i);
      if (c == '#') {
        break;
      }
      int value = c == '%' ? escape(target, i, length) : -1;
      int character = value >= 0 ? value : c;
      if (isControl(character) || (isSlash(c, value) && isRejecting())) {
        return null;
      }
      if (isSlash(c, value)) {
        path.append(isDecoding() ? "/" : character == '/' ? "%2F" : "%5C");
      } else if (value >= 0) {
        append((char) value, path);
      } else if (c == '%') {
        // If it were kept, it could form an escape together with characters that are decoded after
        // it.
        path.append("%25");
      } else if (matching && c != '/' && c != ';' && !isPlain(c)) {
        i += appendEncoded(target, i, path) - 1;
      } else {
        path.append(c);
      }
      i += value >= 0 ? 2 : 0;
    }
    return path.toString();
  }

  /**
   * Returns a pattern in the spelling of the paths that it is compared with. Stars are kept.
   * Nothing is rejected, because a pattern for an impossible path simply never matches.
   */
  String pattern(String text) {
    StringBuilder pattern = new StringBuilder(text.length() + 1);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int value = c == '%' ? escape(text, i, text.length()) : -1;
      if (isSlash(c, value)) {
        int character = value >= 0 ? value : c;
        pattern.append(isDecoding() ? "/" : character == '/' ? "%2F" : "%5C");
      } else if (value >= 0) {
        append((char) value, pattern);
      } else if (c == '%') {
        pattern.append("%25");
      } else if (c == '/' || c == '*' || (c == ';' && !settings.stripsParameters()) || isPlain(c)) {
        pattern.append(c);
      } else {
        i += appendEncoded(text, i, pattern) - 1;
      }
      i += value >= 0 ? 2 : 0;
    }
    return pattern.toString();
  }

  /** Returns whether a character is an ASCII control character. */
  static boolean isControl(int character) {
    return character < ' ' || character == DELETE;
  }

  /** Returns whether this is an escaped slash, or a backslash in either form. */
  private static boolean isSlash(char c, int value) {
    return c == '\\' || value == '/' || value == '\\';
  }

  private boolean isRejecting() {
    return settings.encodedSlashes() == PathSettings.EncodedSlashes.REJECT;
  }

  private boolean isDecoding() {
    return settings.encodedSlashes() == PathSettings.EncodedSlashes.DECODE;
  }

  /** Returns the value of an escape; negative if there is none. */
  static int escape(String target, int at, int length) {
    if (at + 2 >= length) {
      return -1;
    }
    int high = Character.digit(target.charAt(at + 1), 16);
    int low = Character.digit(target.charAt(at + 2), 16);
    boolean ascii = target.charAt(at + 1) < 0x80 && target.charAt(at + 2) < 0x80;
    return high < 0 || low < 0 || !ascii ? -1 : 16 * high + low;
  }

  /** Appends a decoded character, or its escape in upper case. */
  private void append(char value, StringBuilder path) {
    boolean plain =
        isUnreserved(value)
            || (matching && isPlain(value))
            || (matching && value == ';' && !settings.stripsParameters());
    if (plain) {
      path.append(value);
    } else {
      appendEscape(value, path);
    }
  }

  /** Returns whether a character is not escaped in the matched form. */
  static boolean isPlain(char c) {
    return isUnreserved(c) || DELIMITERS.indexOf(c) >= 0;
  }

  private static boolean isUnreserved(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || UNRESERVED.indexOf(c) >= 0;
  }

  /** Appends a character as escaped bytes, and returns how many chars of the text it takes. */
  static int appendEncoded(String text, int at, StringBuilder path) {
    int codePoint = text.codePointAt(at);
    for (byte each : Character.toString(codePoint).getBytes(UTF_8)) {
      appendEscape((char) (each & 0xff), path);
    }
    return Character.charCount(codePoint);
  }

  static void appendEscape(char value, StringBuilder path) {
    path.append('%');
    path.append(Character.toUpperCase(Character.forDigit(value >> 4, 16)));
    path.append(Character.toUpperCase(Character.forDigit(value & 15, 16)));
  }

  /** Removes dots and spaces at the end of a segment. */
  static String withoutTrailingDots(String segment) {
    int end = segment.length();
    while (end > 0) {
      if (segment.charAt(end - 1) == '.' || segment.charAt(end - 1) == ' ') {
        end--;
      } else if (segment.startsWith(SPACE, end - SPACE.length())) {
        end -= SPACE.length();
      } else {
        break;
      }
    }
    return segment.substring(0, end);
  }
}
