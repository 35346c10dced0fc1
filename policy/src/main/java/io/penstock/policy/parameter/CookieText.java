package io.penstock.policy.parameter;

/**
 * Finds cookies in a header according to RFC 6265: {@code a=b; c="d"}.
 *
 * <p>Values are ambiguous if the name has a {@link ParameterName similar} spelling, if a comma or a
 * space precedes the name, which some origins accept in place of the semicolon, or if {@link
 * CookieValue} reports it.
 */
public final class CookieText {
  private CookieText() {}

  /** Returns the values of a cookie in their canonical form. */
  public static ParameterValues find(String text, String name) {
    ParameterValues values = new ParameterValues();
    for (int from = 0; from < text.length(); ) {
      int end = indexOrEnd(text, ';', from, text.length());
      int equals = indexOrEnd(text, '=', from, end);
      if (equals < end) {
        if (isNamed(text, from, equals, name)) {
          CookieValue.addTo(values, text.substring(equals + 1, end));
        } else if (ParameterName.isSimilar(text, from, equals, name, false)) {
          values.addAmbiguous(CookieValue.canonical(text.substring(equals + 1, end)));
        }
        addNested(values, text, equals + 1, end, name);
      }
      from = end + 1;
    }
    return values;
  }

  /** Adds cookies that follow a comma or a space instead of a semicolon. */
  private static void addNested(
      ParameterValues values, String text, int from, int end, String name) {
    boolean paired = hasPairedQuotes(text, from, end);
    boolean quoted = false;
    for (int i = from; i < end; ) {
      quoted ^= paired && text.charAt(i) == '"';
      if (quoted || !isSeparator(text.charAt(i))) {
        i++;
        continue;
      }
      int start = skipSeparators(text, i, end);
      int nameEnd = start;
      while (nameEnd < end && text.charAt(nameEnd) != '=' && !isSeparator(text.charAt(nameEnd))) {
        nameEnd++;
      }
      int equals = skipSeparators(text, nameEnd, end);
      if (equals < end
          && text.charAt(equals) == '='
          && ParameterName.isSimilar(text, start, nameEnd, name, false)) {
        values.addAmbiguous(CookieValue.canonical(text.substring(equals + 1, end)));
      }
      i = nameEnd;
    }
  }

  private static boolean hasPairedQuotes(String text, int from, int end) {
    boolean paired = true;
    for (int i = from; i < end; i++) {
      paired ^= text.charAt(i) == '"';
    }
    return paired;
  }

  private static int indexOrEnd(String text, char delimiter, int from, int end) {
    int at = from;
    while (at < end && text.charAt(at) != delimiter) {
      at++;
    }
    return at;
  }

  private static int skipSeparators(String text, int from, int end) {
    int at = from;
    while (at < end && isSeparator(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isSeparator(char c) {
    return c == ',' || c <= ' ';
  }

  private static boolean isNamed(String text, int start, int end, String name) {
    int from = start;
    while (from < end && (text.charAt(from) == ' ' || text.charAt(from) == '\t')) {
      from++;
    }
    int to = end;
    while (to > from && (text.charAt(to - 1) == ' ' || text.charAt(to - 1) == '\t')) {
      to--;
    }
    return to - from == name.length() && text.startsWith(name, from);
  }
}
