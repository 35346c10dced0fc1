package io.penstock.policy.accesslog;

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
