package io.penstock.server.proxy;

import io.netty.util.AsciiString;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The names of headers that most origins send. Decoding one of them creates no object, and its hash
 * code and text are computed only once.
 */
final class CommonHeaderNames {
  private static final AsciiString[] NO_NAMES = {};
  private static final AsciiString[][] BY_LENGTH = byLength();

  private CommonHeaderNames() {}

  private static AsciiString[][] byLength() {
    List<String> names =
        List.of(
            "Age",
            "Date",
            "ETag",
            "Vary",
            "Server",
            "Expires",
            "Connection",
            "Keep-Alive",
            "Set-Cookie",
            "Content-Type",
            "Accept-Ranges",
            "Cache-Control",
            "Last-Modified",
            "Content-Length",
            "Content-Encoding",
            "Transfer-Encoding");
    int longest = names.stream().mapToInt(String::length).max().orElse(0);
    AsciiString[][] byLength = new AsciiString[longest + 1][];
    for (int length = 0; length <= longest; length++) {
      int wanted = length;
      byLength[length] =
          names.stream()
              .filter(name -> name.length() == wanted)
              // Many origins send names in lower case.
              .flatMap(name -> Stream.of(name, name.toLowerCase(Locale.ROOT)))
              .map(AsciiString::cached)
              .toArray(AsciiString[]::new);
    }
    return byLength;
  }

  /** Returns the name that consists of the given bytes; null if it is not among these names. */
  static @Nullable AsciiString find(byte[] bytes, int start, int length) {
    for (AsciiString name : length < BY_LENGTH.length ? BY_LENGTH[length] : NO_NAMES) {
      if (Arrays.equals(name.array(), 0, length, bytes, start, start + length)) {
        return name;
      }
    }
    return null;
  }
}
