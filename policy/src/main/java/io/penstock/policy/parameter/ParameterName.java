package io.penstock.policy.parameter;

/**
 * Compares the names of query parameters and cookies the way the most lenient origins do.
 *
 * <p>ASP.NET ignores case. PHP reads {@code api.key}, {@code api key} and {@code api[key} as {@code
 * api_key}, ignores leading spaces and ends names at a NUL. PHP and Express read {@code api_key[]}
 * as {@code api_key}. Express and Django ignore Unicode spaces around the names of cookies.
 */
public final class ParameterName {
  private ParameterName() {}

  /**
   * Returns whether some origin may read {@code text} as {@code name}. True if they are equal.
   *
   * @param name the name that a rule refers to, in ASCII
   */
  public static boolean isSimilar(String text, String name) {
    return isSimilar(text, 0, text.length(), name, false);
  }

  /**
   * @param form whether {@code +} is a space
   */
  static boolean isSimilar(String text, int from, int to, String name, boolean form) {
    int length = baseLength(name);
    int matched = 0;
    for (int i = from; i < to; i++) {
      int c = text.charAt(i);
      if (c == '%' && Escapes.at(text, i, to) >= 0) {
        c = Escapes.at(text, i, to);
        i += Escapes.LENGTH - 1;
      } else if (c == '%' && Escapes.longAt(text, i, to) >= 0) {
        c = Escapes.longAt(text, i, to);
        i += Escapes.LONG_LENGTH - 1;
      } else if (c == '+' && form) {
        c = ' ';
      }
      boolean ignorable = c <= ' ' || c >= 0x7f;
      if (c == 0 || (c == '[' && matched == length)) {
        break;
      } else if (matched == length || (matched == 0 && ignorable)) {
        if (!ignorable) {
          return false;
        }
      } else if (folded(c) != folded(name.charAt(matched++))) {
        return false;
      }
    }
    return matched == length && length > 0;
  }

  /** Returns the length of a name without {@code []} or the like at its end. */
  private static int baseLength(String name) {
    int bracket = name.indexOf('[');
    return bracket <= 0 ? name.length() : bracket;
  }

  private static int folded(int c) {
    if (c >= 'A' && c <= 'Z') {
      return c + ('a' - 'A');
    }
    return c <= ' ' || c == '.' || c == '[' ? '_' : c;
  }
}
