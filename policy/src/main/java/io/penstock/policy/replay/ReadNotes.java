package io.penstock.policy.replay;

import io.penstock.policy.accesslog.ReadSummary;
import io.penstock.policy.accesslog.SafeText;
import io.penstock.policy.accesslog.UnreadableLines;
import io.penstock.policy.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Describes how much of a log was read, and what to know about it. */
public final class ReadNotes {
  private ReadNotes() {}

  /** Returns one line about the requests and their times. */
  public static String summary(LogSpan span, ReadSummary read) {
    return TextTable.count(span.requests())
        + " requests"
        + (span.requests() == 0 ? "" : " from " + span.first() + " to " + span.last())
        + " ("
        + TextTable.count(read.lines())
        + " lines"
        + (read.formats().isEmpty() ? "" : ", format " + formats(read))
        + ")";
  }

  private static String formats(ReadSummary read) {
    return String.join(", ", read.formats().stream().map(String::valueOf).sorted().toList());
  }

  /** Returns lines about everything that was not read or that limits the accuracy. */
  public static List<String> notes(LogSpan span, ReadSummary read) {
    List<String> notes = new ArrayList<>(read.unreadable().problems());
    UnreadableLines unreadable = read.unreadable();
    if (unreadable.total() > 0) {
      notes.add(
          TextTable.count(unreadable.total())
              + " of "
              + TextTable.count(read.lines())
              + " lines can't be read:");
      for (Map.Entry<UnreadableLines.Cause, Long> cause :
          unreadable.counts().entrySet().stream().sorted(Map.Entry.comparingByKey()).toList()) {
        notes.add("  " + TextTable.count(cause.getValue()) + ": " + cause.getKey());
      }
      for (UnreadableLines.UnreadableLine line : unreadable.samples()) {
        notes.add("  " + line.source() + ":" + line.number() + ": " + line.text());
      }
    }
    if (read.late() > 0) {
      notes.add(
          TextTable.count(read.late())
              + " lines are out of order by more than the window and are left out; sort the log by"
              + " time, or raise --window"
              + (read.isWindowShortened()
                  ? "; the window was shortened, because too many lines were within it"
                  : ""));
    }
    if (span.limited() > 0) {
      notes.add(
          TextTable.count(span.limited())
              + " requests were answered with 429, so a limit was active already; clients that were"
              + " not limited would have sent other requests");
    }
    if (span.multiple() > 0) {
      notes.add(
          TextTable.count(span.multiple())
              + " lines stand for several requests, by their field count or denied; if that is not"
              + " what the field means, --field count=none ignores it");
    }
    if (span.withoutAddress() > 0) {
      notes.add(TextTable.count(span.withoutAddress()) + " requests have no client address");
    }
    if (span.hasWholeSeconds() && span.requests() > 0) {
      notes.add(
          "times are whole seconds: the requests of a second count as simultaneous, so bursts look"
              + " larger than they were, by up to the requests of a second");
    }
    return notes.stream().map(SafeText::of).toList();
  }
}
