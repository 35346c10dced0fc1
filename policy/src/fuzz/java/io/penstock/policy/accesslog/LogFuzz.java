package io.penstock.policy.accesslog;

import io.penstock.policy.Attribute;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fuzzes access logs. Every line is a request, a header, unreadable or late; requests are in order
 * of time, and no text that is shown has control characters.
 */
public final class LogFuzz {
  private static final LogFields FIELDS =
      new LogFields(
          List.of(
              Attribute.parse("header:user-agent"),
              Attribute.parse("query:q"),
              Attribute.parse("user_id")),
          Map.of());

  private LogFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    LogStream stream =
        new LogStream(
            List.of(LogSource.of("log", new ByteArrayInputStream(input))), LogOptions.of(FIELDS));
    List<LogEntry> entries = new ArrayList<>();
    try {
      stream.forEach(entries::add);
    } catch (AccessLogException unreadable) {
      Throwable cause = unreadable.getCause();
      check(cause == null || cause instanceof IOException, unreadable);
      return;
    }
    ReadSummary summary = stream.summary();
    UnreadableLines unreadable = summary.unreadable();
    long known = entries.size() + summary.headers() + summary.late() + unreadable.total();
    check(known == summary.lines(), summary.lines() + " lines, " + known + " known");
    long last = Long.MIN_VALUE;
    for (LogEntry entry : entries) {
      check(entry.timeNanos() >= last, "out of order");
      check(entry.count() >= 1 && entry.status() >= 0, "negative");
      last = entry.timeNanos();
      Object unused = entry.query("q");
    }
    for (UnreadableLines.UnreadableLine sample : unreadable.samples()) {
      check(SafeText.of(sample.text()).equals(sample.text()), sample);
    }
  }

  private static void check(boolean holds, Object message) {
    if (!holds) {
      throw new AssertionError(message);
    }
  }
}
