package io.penstock.policy.advice;

import static io.penstock.policy.report.TextTable.count;
import static io.penstock.policy.report.TextTable.percent;

import io.penstock.policy.accesslog.SafeText;
import io.penstock.policy.replay.KeyCount;
import io.penstock.policy.replay.ReadNotes;
import io.penstock.policy.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Formats advice for terminals. */
public final class AdviceText {
  private static final int PLOT_WIDTH = 40;
  private static final int MAX_FOLDED = 20;
  private static final int MAX_PATH = 100;

  private AdviceText() {}

  /** Returns the lines, without control characters. */
  public static List<String> lines(Advice advice) {
    List<String> lines = new ArrayList<>();
    lines.add(ReadNotes.summary(advice.span(), advice.read()));
    notes(advice).forEach(note -> lines.add("note: " + note));
    for (GroupAdvice group : advice.groups()) {
      lines.add("");
      lines.add(title(group));
      addCurve(group, lines);
      addSuggestions(group, lines);
    }
    return lines;
  }

  static String title(GroupAdvice group) {
    return SafeText.of(group.label())
        + ": "
        + count(group.requests())
        + " requests of "
        + count(group.keys())
        + " keys";
  }

  /** Returns what a reader has to know about the data. */
  static List<String> notes(Advice advice) {
    List<String> notes = new ArrayList<>(ReadNotes.notes(advice.span(), advice.read()));
    if (advice.keyless() > 0) {
      notes.add(
          count(advice.keyless())
              + " requests lack a key "
              + advice.options().keys()
              + " and are left out; --field KEY=FIELD names the field of the log");
    }
    if (advice.partial() > 0) {
      notes.add(
          count(advice.partial())
              + " requests lack a part of their key "
              + advice.options().keys()
              + " and share a bucket; --field NAME=FIELD names the field of the log");
    }
    if (advice.valueless() > 0) {
      notes.add(
          count(advice.valueless())
              + " requests lack one of "
              + advice.options().per()
              + " and are left out; --field NAME=FIELD names the field of the log");
    }
    if (advice.rejected() > 0) {
      notes.add(
          count(advice.rejected())
              + " requests have a path that is always rejected, and are left out");
    }
    if (advice.otherRequests() > 0) {
      notes.add(count(advice.otherRequests()) + " requests belong to groups that are not shown");
    }
    if (advice.unclassified() > 0) {
      notes.add(
          count(advice.unclassified())
              + " of them came after too many different values of "
              + advice.options().per()
              + "; a rule with * may deny some of them, which is not predicted; --fold joins paths");
    }
    double shareOfOne = 100 - advice.options().sparePercent();
    List<String> small =
        advice.groups().stream()
            .filter(group -> group.keys() * shareOfOne / 100 < 1 && shareOfOne > 0)
            .map(group -> SafeText.of(group.label()))
            .toList();
    if (!small.isEmpty()) {
      int more = small.size() - 1;
      notes.add(
          small.get(0)
              + (more > 0 ? " and " + more + " more" : "")
              + ": with so few keys, the balanced limit spares all of them, including those that"
              + " send too much; a smaller --spare leaves some out");
    }
    Map<String, String> folded = advice.options().folding().examples();
    folded.entrySet().stream()
        .limit(MAX_FOLDED)
        .forEach(
            each ->
                notes.add(
                    "paths are folded: "
                        + SafeText.of(each.getKey())
                        + ", for example "
                        + SafeText.of(shortened(each.getValue()))
                        + "; --fold and --no-fold change this"));
    if (folded.size() > MAX_FOLDED) {
      notes.add(
          "paths are folded: " + count(folded.size() - MAX_FOLDED) + " more patterns, see --json");
    }
    return notes;
  }

  private static String shortened(String path) {
    return path.length() <= MAX_PATH ? path : path.substring(0, MAX_PATH) + "…";
  }

  /** Returns the points of a curve without rates at which no key needs another burst. */
  static List<CurvePoint> shown(GroupAdvice group) {
    List<CurvePoint> points = new ArrayList<>();
    CurvePoint previous = null;
    for (CurvePoint point : group.curve()) {
      boolean isSame =
          previous != null
              && previous.p50() == point.p50()
              && previous.p95() == point.p95()
              && previous.p99() == point.p99()
              && previous.p999() == point.p999()
              && previous.max() == point.max();
      if (!isSame) {
        points.add(point);
      }
      previous = point;
    }
    return points;
  }

  private static void addCurve(GroupAdvice group, List<String> lines) {
    lines.add(
        "  Smallest burst that denies none of the requests of 50 %, 95 %, 99 %, 99.9 % of keys:");
    TextTable table = new TextTable("rate", "p50", "p95", "p99", "p99.9", "max");
    List<CurvePoint> points = shown(group);
    for (CurvePoint point : points) {
      table.row(
          point.rate(),
          count(point.p50()),
          count(point.p95()),
          count(point.p99()),
          count(point.p999()),
          count(point.max()));
    }
    List<String> rows = table.lines();
    double max = points.stream().mapToLong(CurvePoint::p999).max().orElse(1);
    lines.add(rows.get(0) + "  █ p50  ▓ p95  ▒ p99  ░ p99.9, logarithmic");
    for (int i = 1; i < rows.size(); i++) {
      lines.add(rows.get(i) + "  " + bar(points.get(i - 1), max));
    }
  }

  /** Returns a bar in which each share of the keys has a shade of its own. */
  private static String bar(CurvePoint point, double max) {
    int p50 = width(point.p50(), max);
    int p95 = width(point.p95(), max);
    int p99 = width(point.p99(), max);
    return "█".repeat(p50)
        + "▓".repeat(p95 - p50)
        + "▒".repeat(p99 - p95)
        + "░".repeat(width(point.p999(), max) - p99);
  }

  private static int width(long value, double max) {
    return 1
        + (int) (PLOT_WIDTH * Math.log((double) Math.max(1, value)) / Math.log(Math.max(2, max)));
  }

  private static void addSuggestions(GroupAdvice group, List<String> lines) {
    TextTable table = new TextTable("suggestion", "rate", "burst", "denied", "", "keys denied", "");
    for (Suggestion suggestion : group.suggestions()) {
      table.row(
          suggestion.name(),
          suggestion.rate(),
          count(suggestion.burst()),
          count(suggestion.denied()),
          percent(suggestion.denied(), group.requests()),
          count(suggestion.deniedKeys()),
          percent(suggestion.deniedKeys(), group.keys()));
    }
    lines.addAll(table.lines());
    for (Suggestion suggestion : group.suggestions()) {
      if (!suggestion.worst().isEmpty()) {
        lines.add("  " + suggestion.name() + " denies most: " + keys(suggestion.worst()));
      }
    }
  }

  static String keys(List<KeyCount> keys) {
    return String.join(
        ", ",
        keys.stream()
            .map(
                key ->
                    SafeText.of(key.key().isEmpty() ? "(all requests)" : key.key())
                        + " ("
                        + count(key.denied())
                        + " of "
                        + count(key.requests())
                        + ")")
            .toList());
  }
}
