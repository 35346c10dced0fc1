package io.penstock.server.log;

import io.penstock.policy.Outcome;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats the parts of lines in the common and combined log formats. */
final class AccessText {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);
  private static final String HEX = "0123456789ABCDEF";
  private static final String NONE = "-";
  private static final int THOUSAND = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private AccessText() {}

  /** {@code 203.0.113.7 - - [10/Oct/2025:13:55:36 +0000] "GET /a HTTP/1.1" 200 2326}. */
  static void appendCommon(AccessEntry entry, StringBuilder line) {
    AccessEntry.RequestInfo request = entry.request();
    appendSafely(request.client(), line);
    line.append(" - - [");
    TIME.formatTo(entry.time(), line);
    line.append("] \"");
    appendSafely(orNone(request.method()), line);
    line.append(' ');
    appendSafely(orNone(request.target()), line);
    line.append(' ').append(orNone(request.protocol())).append("\" ");
    line.append(entry.response().status()).append(' ').append(entry.response().bytes());
  }

  /** {@code "https://a.example/" "curl/8.5.0"}. */
  static void appendClient(AccessEntry entry, StringBuilder line) {
    appendQuoted(entry.request().referrer(), line);
    appendQuoted(entry.request().userAgent(), line);
  }

  /**
   * {@code allowed "search" 99 200 0.012 "4f1c" -}: decision, rule, remaining, origin, seconds,
   * request id, aborted.
   */
  static void appendDecision(AccessEntry entry, StringBuilder line) {
    Outcome outcome = entry.outcome();
    String decision = entry.decision();
    line.append(' ').append(orNone(decision));
    appendQuoted(outcome == null ? null : outcome.rule().name(), line);
    line.append(' ');
    if (outcome == null) {
      line.append(NONE);
    } else {
      line.append(outcome.decision().remainingThousandths() / THOUSAND);
    }
    int upstream = entry.response().upstreamStatus();
    line.append(' ').append(upstream == 0 ? NONE : Integer.toString(upstream)).append(' ');
    appendSeconds(entry.response().nanos(), line);
    appendQuoted(entry.request().requestId(), line);
    AccessEntry.AbortedBy aborted = entry.response().aborted();
    line.append(' ').append(aborted == null ? NONE : aborted.label());
  }

  private static void appendSeconds(long nanos, StringBuilder line) {
    long millis = nanos / NANOS_PER_MILLI;
    String fraction = Long.toString(THOUSAND + millis % THOUSAND);
    line.append(millis / THOUSAND).append('.').append(fraction, 1, fraction.length());
  }

  private static void appendQuoted(@Nullable String text, StringBuilder line) {
    line.append(" \"");
    appendSafely(orNone(text), line);
    line.append('"');
  }

  private static String orNone(@Nullable String text) {
    return text == null ? NONE : text;
  }

  /**
   * Appends text with quotes, backslashes, control and non-ASCII characters escaped, so that it
   * can't end a field or control a terminal.
   */
  static void appendSafely(String text, StringBuilder line) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
        line.append(c);
      } else if (c <= 0xff) {
        line.append("\\x").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xf));
      } else {
        line.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
          line.append(HEX.charAt(c >> shift & 0xf));
        }
      }
    }
  }
}
