package io.penstock.policy.http;

import io.penstock.policy.Lines;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.JwtVerifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes HTTP requests. The input is a method, a target, a host, a cookie header and a name to look
 * up, one per line.
 */
public final class HttpRequestFuzz {
  private static final JwtVerifier NO_TOKENS = new JwtVerifier(JwtSettings.NONE);

  private HttpRequestFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    Lines lines = Lines.of(input);
    String target = lines.get(1);
    String cookies = lines.get(3);
    String name = lines.get(4);
    HttpRequest request =
        new HttpRequest(
            null,
            RequestLine.of(lines.get(0), target, lines.get(2)),
            header -> header.equals("cookie") ? cookies : null,
            NO_TOKENS);
    check(request.method(), lines.get(0));
    String path = Objects.requireNonNull(request.path());
    int questionMark = target.indexOf('?');
    check(path, questionMark < 0 ? target : target.substring(0, questionMark));
    host(request.host());
    if (request.claim(name) != null || request.attribute(name) != null) {
      throw new AssertionError("value was not sent: " + name);
    }
    String query = request.query(name);
    String cookie = request.cookie(name);
    if (questionMark >= 0 && isPlain(target, "/?&=") && isPlain(name, "") && !name.isEmpty()) {
      check(query, simply(target.substring(questionMark + 1), "&", name));
    }
    if (isPlain(cookies, ";=") && isPlain(name, "") && !name.isEmpty()) {
      check(cookie, simply(onlyPairs(cookies), ";", name));
    }
  }

  private static void host(@Nullable String host) {
    if (host != null && (host.isEmpty() || !host.equals(host.toLowerCase(Locale.ROOT)))) {
      throw new AssertionError(host);
    }
  }

  /** Returns whether the text contains nothing to decode or trim, and no similar names. */
  private static boolean isPlain(String text, String punctuation) {
    return text.chars()
        .allMatch(
            c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || punctuation.indexOf(c) >= 0);
  }

  private static String onlyPairs(String cookies) {
    List<String> pairs = new ArrayList<>();
    for (String pair : cookies.split(";", -1)) {
      if (pair.indexOf('=') >= 0) {
        pairs.add(pair);
      }
    }
    return String.join(";", pairs);
  }

  private static @Nullable String simply(String text, String separator, String name) {
    List<String> values = new ArrayList<>();
    for (String pair : text.split(separator, -1)) {
      String[] parts = pair.split("=", 2);
      if (parts[0].equals(name)) {
        values.add(parts.length == 2 ? parts[1] : "");
      }
    }
    return values.isEmpty() ? null : String.join(", ", values);
  }

  private static void check(@Nullable String found, @Nullable String expected) {
    if (!Objects.equals(found, expected)) {
      throw new AssertionError(found + " is not " + expected);
    }
  }
}
