package io.penstock.server.log;

import io.penstock.policy.Outcome;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parts of lines in the formats that web servers have had for long. */
final class AccessText {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);
  private static final String HEX = "0123456789ABCDEF";
  private static final String NOTHING = "-";
  private static final int TOKEN = 1_000;
  private static final long MILLI = 1_000_000;

  private AccessText() {}

  /** {@code 203.0.113.7 - - [10/Oct/2025:13:55:36 +0000] "GET /a HTTP/1.1" 200 2326}. */
  static void appendCommon(AccessEntry entry, StringBuilder line) {
    AccessEntry.RequestInfo asked = entry.asked();
    appendSafely(asked.client(), line);
    line.append(" - - [");
    TIME.formatTo(entry.time(), line);
    line.append("] \"");
    appendSafely(asked.method(), line);
    line.append(' ');
    appendSafely(asked.target(), line);
    line.append(' ').append(asked.protocol()).append("\" ");
    line.append(entry.answered().status()).append(' ').append(entry.answered().bytes());
  }

  /** {@code "https://a.example/" "curl/8.5.0"}. */
  static void appendClient(AccessEntry entry, StringBuilder line) {
    appendQuoted(entry.asked().referrer(), line);
    appendQuoted(entry.asked().userAgent(), line);
  }

  /**
   * {@code allowed "search" 99 200 0.012 "4f1c" -}: decision, rule, remaining, origin, seconds,
   * request id, aborted.
   */
  static void appendDecision(AccessEntry entry, StringBuilder line) {
    Outcome outcome = entry.outcome();
    String decision = entry.decision();
    line.append(' ').append(decision == null ? NOTHING : decision);
    appendQuoted(outcome == null ? null : outcome.rule().name(), line);
    line.append(' ');
    if (outcome == null) {
      line.append(NOTHING);
    } else {
      line.append(outcome.decision().remainingThousandths() / TOKEN);
    }
    int upstream = entry.answered().upstreamStatus();
    line.append(' ').append(upstream == 0 ? NOTHING : Integer.toString(upstream)).append(' ');
    appendSeconds(entry.answered().nanos(), line);
    appendQuoted(entry.asked().requestId(), line);
    AccessEntry.AbortedBy aborted = entry.answered().aborted();
    line.append(' ').append(aborted == null ? NOTHING : aborted.label());
  }

  private static void appendSeconds(long nanos, StringBuilder line) {
    long millis = nanos / MILLI;
    String fraction = Long.toString(TOKEN + millis % TOKEN);
    line.append(millis / TOKEN).append('.').append(fraction, 1, fraction.length());
  }

  private static void appendQuoted(@Nullable String text, StringBuilder line) {
    line.append(" \"");
    appendSafely(text == null ? NOTHING : text, line);
    line.append('"');
  }

  /** What could end a field or a line, or make a terminal do things, is written as hex. */
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
