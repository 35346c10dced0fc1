package io.penstock.server.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.server.hostile.Listeners.Listener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The corpus of hostile requests, and mutations of it. */
final class RawRequests {
  private static final Pattern LINE =
      Pattern.compile("(\\d{3}|-) (\\d{3}|-) (\\d{3}|-) (\\d{3}|-) (.+)");
  private static final Pattern ESCAPE = Pattern.compile("\\\\(x[0-9a-f]{2}|.)");
  private static final Pattern REPEATED = Pattern.compile("\\{(\\d+):([^}]*)}");
  private static final int MAX_STEPS = 4;
  private static final String[] PIECES = {
    "\r\n",
    "\n",
    "\r",
    "\0",
    " ",
    "\t",
    ":",
    "%",
    "%00",
    "%2f",
    "/../",
    "//",
    "\u00ff",
    "?",
    "#",
    "*",
    "Host: a\r\n",
    "Host: a%20b\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 0\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive, close\r\n",
    "Expect: 100-continue\r\n",
    "Upgrade: websocket\r\n",
    "Upgrade: h2c\r\n",
    "TE: trailers\r\n",
    "X-Forwarded-For: [::1\r\n",
    "Forwarded: for=\"[\r\n",
    "Authorization: Bearer a.b.c\r\n",
    "Cookie: =;;=\r\n",
    "HTTP/1.0",
    "HTTP/1.1",
    "HTTP/2.0",
    "CONNECT ",
    "HEAD ",
    "get ",
    "0\r\n\r\n",
    "5\r\nhello\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
  };

  private RawRequests() {}

  /**
   * A request of the corpus.
   *
   * @param statuses the status of the first response of each listener that has to respond
   */
  record CorpusRequest(String text, Map<Listener, String> statuses) {
    byte[] bytes() {
      return text.getBytes(ISO_8859_1);
    }

    /** Returns whether a listener has to respond. */
    boolean needsResponse(Listener listener) {
      return statuses.containsKey(listener);
    }
  }

  /** Returns the whole corpus. */
  static List<CorpusRequest> corpus() {
    try (InputStream in = RawRequests.class.getResourceAsStream("requests.txt")) {
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .map(RawRequests::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static CorpusRequest read(String line) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalArgumentException("not statuses and a request: " + line);
    }
    Map<Listener, String> statuses = new EnumMap<>(Listener.class);
    int group = 1;
    for (Listener listener : Listener.values()) {
      String status = parts.group(group++);
      if (!status.equals("-")) {
        statuses.put(listener, status);
      }
    }
    return new CorpusRequest(unescaped(parts.group(group)), statuses);
  }

  private static String unescaped(String text) {
    String repeated =
        REPEATED
            .matcher(text)
            .replaceAll(
                found ->
                    Matcher.quoteReplacement(
                        found.group(2).repeat(Integer.parseInt(found.group(1)))));
    return ESCAPE.matcher(repeated).replaceAll(found -> Matcher.quoteReplacement(unescape(found)));
  }

  private static String unescape(MatchResult escape) {
    String code = escape.group(1);
    return switch (code.charAt(0)) {
      case 'r' -> "\r";
      case 'n' -> "\n";
      case 't' -> "\t";
      case '0' -> "\0";
      case 'x' -> String.valueOf((char) Integer.parseInt(code.substring(1), 16));
      default -> code;
    };
  }

  /** Returns an element of the corpus after a few random mutations. */
  static byte[] mutated(List<CorpusRequest> corpus, Random random) {
    byte[] bytes = corpus.get(random.nextInt(corpus.size())).bytes();
    int steps = random.nextInt(MAX_STEPS);
    for (int i = 0; i < steps; i++) {
      bytes = step(bytes, corpus, random);
    }
    return bytes;
  }

  private static byte[] step(byte[] bytes, List<CorpusRequest> corpus, Random random) {
    int at = random.nextInt(bytes.length + 1);
    int end = Math.min(bytes.length, at + 1 + random.nextInt(8));
    return switch (random.nextInt(7)) {
      case 0 -> spliced(bytes, at, end, new byte[0]);
      case 1 -> spliced(bytes, at, at, new byte[] {(byte) random.nextInt(256)});
      case 2 -> spliced(bytes, at, Math.min(end, at + 1), new byte[] {(byte) random.nextInt(256)});
      case 3, 4 ->
          spliced(bytes, at, at, PIECES[random.nextInt(PIECES.length)].getBytes(ISO_8859_1));
      case 5 -> spliced(bytes, at, bytes.length, corpus.get(random.nextInt(corpus.size())).bytes());
      default -> spliced(bytes, at, bytes.length, new byte[0]);
    };
  }

  private static byte[] spliced(byte[] bytes, int from, int to, byte[] instead) {
    ByteArrayOutputStream spliced = new ByteArrayOutputStream();
    spliced.write(bytes, 0, from);
    spliced.writeBytes(instead);
    spliced.write(bytes, to, bytes.length - to);
    return spliced.toByteArray();
  }
}
