package io.penstock.policy.parameter;

/**
 * Finds parameters in a form-encoded query: {@code a=b&c=d}, {@code +} for a space, UTF-8 bytes as
 * {@code %41}. Invalid escapes are kept as they are.
 *
 * <p>Values are ambiguous if the name has a {@link ParameterName similar} spelling, or if they
 * depend on whether {@code ;} separates parameters like {@code &}, as it does for some origins.
 */
public final class QueryText {
  private QueryText() {}

  /** Returns the decoded values of a parameter. */
  public static ParameterValues find(String text, int start, String name) {
    ParameterValues values = new ParameterValues();
    boolean afterSemicolon = false;
    for (int from = start; from <= text.length(); ) {
      int end = separator(text, from);
      boolean semicolon = end < text.length() && text.charAt(end) == ';';
      int equals = indexOrEnd(text, '=', from, end);
      if (end > from) {
        boolean exact = isNamed(text, from, equals, name);
        int value = Math.min(equals + 1, end);
        if (exact && !afterSemicolon && !semicolon) {
          values.add(decode(text, value, end));
        } else if (exact || ParameterName.isSimilar(text, from, equals, name, true)) {
          if (exact && !afterSemicolon) {
            values.addAmbiguous(decode(text, value, indexOrEnd(text, '&', end, text.length())));
          }
          values.addAmbiguous(decode(text, value, end));
        }
      }
      afterSemicolon = semicolon;
      from = end + 1;
    }
    return values;
  }

  private static int separator(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) != '&' && text.charAt(at) != ';') {
      at++;
    }
    return at;
  }

  private static int indexOrEnd(String text, char delimiter, int from, int end) {
    int at = from;
    while (at < end && text.charAt(at) != delimiter) {
      at++;
    }
    return at;
  }

  private static boolean isNamed(String text, int from, int to, String name) {
    int matched = 0;
    for (int i = from; i < to; i++) {
      int c = text.charAt(i);
      int escaped = c == '%' ? Escapes.at(text, i, to) : -1;
      if (escaped >= 0) {
        c = escaped;
        i += Escapes.LENGTH - 1;
        if (c >= 0x80) {
          return decode(text, from, to).equals(name);
        }
      } else if (c == '+') {
        c = ' ';
      }
      if (matched == name.length() || name.charAt(matched++) != c) {
        return false;
      }
    }
    return matched == name.length();
  }

  private static String decode(String text, int from, int to) {
    int plain = from;
    while (plain < to && text.charAt(plain) != '%' && text.charAt(plain) != '+') {
      plain++;
    }
    if (plain == to) {
      return text.substring(from, to);
    }
    StringBuilder decoded = new StringBuilder(to - from).append(text, from, plain);
    for (int i = plain; i < to; ) {
      char c = text.charAt(i);
      int escaped = c == '%' ? Escapes.at(text, i, to) : -1;
      int character = c == '%' ? Escapes.longAt(text, i, to) : -1;
      if (escaped >= 0x80) {
        i = Escapes.decodeRun(text, i, to, decoded);
      } else if (escaped >= 0) {
        decoded.append((char) escaped);
        i += Escapes.LENGTH;
      } else if (character >= 0) {
        decoded.append((char) character);
        i += Escapes.LONG_LENGTH;
      } else {
        decoded.append(c == '+' ? ' ' : c);
        i++;
      }
    }
    return decoded.toString();
  }
}
