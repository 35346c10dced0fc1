package io.penstock.policy.path;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/**
 * Folds the case of paths, including characters beyond ASCII: to some origins {@code /log%C4%B0n},
 * with a dotted capital I, is {@code /login}.
 */
final class PathCase {
  private PathCase() {}

  /** Returns a path in matched form in lower case. */
  static String folded(String path) {
    StringBuilder folded = new StringBuilder(path.length());
    int length = path.length();
    for (int i = 0; i < length; ) {
      int value = path.charAt(i) == '%' ? PathText.escape(path, i, length) : -1;
      if (value >= 0x80) {
        i = appendRun(path, i, folded);
      } else if (value >= 0) {
        folded.append(path, i, i + 3);
        i += 3;
      } else {
        folded.append((char) fold(path.charAt(i++)));
      }
    }
    return folded.toString();
  }

  private static int fold(int codePoint) {
    return Character.toLowerCase(Character.toUpperCase(codePoint));
  }

  /** Appends a run of escaped bytes and returns where it ends. */
  private static int appendRun(String path, int from, StringBuilder folded) {
    int to = from;
    ByteBuffer bytes = ByteBuffer.allocate((path.length() - from) / 3 + 1);
    while (to < path.length() && path.charAt(to) == '%') {
      int value = PathText.escape(path, to, path.length());
      if (value < 0x80) {
        break;
      }
      bytes.put((byte) value);
      to += 3;
    }
    try {
      String text = UTF_8.newDecoder().decode(bytes.flip()).toString();
      text.codePoints().map(PathCase::fold).forEach(codePoint -> append(codePoint, folded));
    } catch (CharacterCodingException notUtf8) {
      folded.append(path, from, to);
    }
    return to;
  }

  private static void append(int codePoint, StringBuilder folded) {
    if (codePoint < 0x80) {
      folded.append((char) codePoint);
    } else {
      PathText.appendEncoded(Character.toString(codePoint), 0, folded);
    }
  }
}
