package io.penstock.policy.accesslog;

import java.util.HexFormat;

/** Makes text from logs safe to print: it can't move the cursor or change the terminal. */
public final class SafeText {
  private static final String HEX = "0123456789ABCDEF";

  private SafeText() {}

  /** Escapes control, format and private characters and unpaired surrogates. */
  public static String of(String text) {
    if (text.codePoints().allMatch(SafeText::isSafe)) {
      return text;
    }
    StringBuilder safe = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (isSafe(c)) {
                safe.appendCodePoint(c);
              } else if (c <= 0xff) {
                safe.append("\\x").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xf));
              } else {
                safe.append("\\u{").append(Integer.toHexString(c)).append('}');
              }
            });
    return safe.toString();
  }

  /** Escapes the same characters, except line breaks, in the strings of a JSON document. */
  public static String ofJson(String json) {
    if (json.codePoints().allMatch(c -> c == '\n' || isSafe(c))) {
      return json;
    }
    StringBuilder safe = new StringBuilder();
    json.codePoints()
        .forEach(
            c -> {
              if (c == '\n' || isSafe(c)) {
                safe.appendCodePoint(c);
              } else {
                for (char each : Character.toChars(c)) {
                  safe.append("\\u").append(HexFormat.of().toHexDigits(each));
                }
              }
            });
    return safe.toString();
  }

  private static boolean isSafe(int c) {
    if (c < 0x7f) {
      return c >= ' ';
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
