package io.penstock.policy.parameter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * The values of cookies in a canonical form: without spaces and quotes around them, with escapes
 * decoded. Express and PHP decode {@code %4B}; Python and Werkzeug decode {@code \113} in quotes.
 * Different values may have the same canonical form if some origin reads them as the same value.
 */
public final class CookieValue {
  private static final int OCTAL_DIGITS = 3;

  private CookieValue() {}

  /** Adds a value as sent, in its canonical form. */
  public static void addTo(ParameterValues values, String sent) {
    if (isPlain(sent)) {
      values.add(sent);
    } else if (isAmbiguous(sent)) {
      values.addAmbiguous(canonical(sent));
    } else {
      values.add(canonical(sent));
    }
  }

  /** Returns the canonical form of a value. */
  public static String canonical(String sent) {
    if (isPlain(sent)) {
      return sent;
    }
    String unquoted = unquoted(stripped(fromUtf8(sent)));
    return stripped(
        unquoted.indexOf('\\') >= 0
            ? fromUtf8(withoutBackslashes(unquoted))
            : percentDecoded(unquoted));
  }

  /**
   * Returns whether origins read different values: if quotes are not in pairs, if a comma or a
   * space ends the value for some, or if one kind of escape results in another.
   */
  private static boolean isAmbiguous(String sent) {
    String value = stripped(fromUtf8(sent));
    String unquoted = unquoted(value);
    boolean quoted = unquoted.length() < value.length();
    for (int i = 0; i < unquoted.length(); i++) {
      char c = unquoted.charAt(i);
      if (quoted && c == '\\' && i + 1 < unquoted.length()) {
        i++;
      } else if (quoted ? c == '"' || c == '\\' : c == ',' || c <= ' ') {
        return true;
      }
    }
    boolean oneQuote = !quoted && (value.startsWith("\"") || value.endsWith("\""));
    return oneQuote
        || (hasEscape(unquoted) && percentDecoded(unquoted).indexOf('\\') >= 0)
        || (unquoted.indexOf('\\') >= 0 && hasEscape(withoutBackslashes(unquoted)));
  }

  /** Returns whether the canonical form of a value is the value itself. */
  private static boolean isPlain(String sent) {
    for (int i = 0; i < sent.length(); i++) {
      char c = sent.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '%' || c == '"' || c == ',' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  private static boolean hasEscape(String text) {
    for (int i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 1)) {
      if (Escapes.at(text, i, text.length()) >= 0) {
        return true;
      }
    }
    return false;
  }

  private static String unquoted(String value) {
    boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
    return quoted ? value.substring(1, value.length() - 1) : value;
  }

  private static String withoutBackslashes(String text) {
    StringBuilder decoded = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int octal = c == '\\' ? octal(text, i + 1) : -1;
      if (octal >= 0) {
        decoded.append((char) octal);
        i += OCTAL_DIGITS;
      } else if (c == '\\' && i + 1 < text.length()) {
        decoded.append(text.charAt(++i));
      } else {
        decoded.append(c);
      }
    }
    return decoded.toString();
  }

  private static int octal(String text, int from) {
    if (from + OCTAL_DIGITS > text.length()) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < from + OCTAL_DIGITS; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 7) {
        return -1;
      }
      value = value << 3 | digit;
    }
    return value > 0xff ? -1 : value;
  }

  private static String percentDecoded(String text) {
    StringBuilder decoded = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); ) {
      if (Escapes.at(text, i, text.length()) >= 0) {
        i = Escapes.decodeRun(text, i, text.length(), decoded);
      } else {
        decoded.append(text.charAt(i++));
      }
    }
    return decoded.toString();
  }

  /** Decodes UTF-8 if every character is a byte of it, as HTTP servers deliver headers. */
  private static String fromUtf8(String text) {
    boolean ascii = true;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c > 0xff) {
        return text;
      }
      ascii &= c < 0x80;
    }
    if (ascii) {
      return text;
    }
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(text.getBytes(ISO_8859_1))).toString();
    } catch (CharacterCodingException otherCharset) {
      return text;
    }
  }

  private static String stripped(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && isSpace(text.charAt(from))) {
      from++;
    }
    while (to > from && isSpace(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  /** Returns whether some origin treats the character as a space. */
  private static boolean isSpace(char c) {
    return c <= ' '
        || c == 0x7f
        || c == 0x85
        || c == 0xfeff
        || (c > 0x7f && Character.isSpaceChar(c));
  }
}
