package io.penstock.cli;

import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The response of {@code GET /v1/top} as a table. */
final class TopTable {
  private static final List<String> HEADER = List.of("DENIED", "LAST (UTC)", "RULE", "KEY");
  private static final int TIME_START = "2026-01-31T".length();
  private static final int TIME_END = "2026-01-31T12:00:00".length();

  private TopTable() {}

  /** Returns the lines of the table. */
  static List<String> lines(Fields top) {
    List<List<String>> rows = new ArrayList<>(List.of(HEADER));
    for (Located<Node> item : AdminClient.list(top, "keys")) {
      Fields key = AdminClient.fields(item);
      rows.add(
          List.of(
              denied(AdminClient.number(key, "denied"), AdminClient.number(key, "error")),
              timeOfDay(String.valueOf(key.text("last"))),
              printable(String.valueOf(key.text("rule"))),
              printable(String.valueOf(key.text("key")))));
    }
    List<String> lines = new ArrayList<>();
    long denied = AdminClient.number(top, "denied");
    long minutes = AdminClient.number(top, "window_seconds") / 60;
    lines.add(String.format(Locale.ROOT, "%,d denied in the last %d minutes", denied, minutes));
    long uncounted = AdminClient.number(top, "uncounted");
    if (uncounted > 0) {
      lines.add(
          number(uncounted) + " more are not counted by key, because there are too many keys");
    }
    if (rows.size() > 1) {
      lines.add("");
      lines.addAll(aligned(rows));
    }
    return lines;
  }

  /** Returns a number, or the range that it is in. */
  private static String denied(long atMost, long error) {
    return error == 0 ? number(atMost) : number(atMost - error) + "-" + number(atMost);
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String timeOfDay(String time) {
    boolean isLong = time.length() >= TIME_END;
    return printable(isLong ? time.substring(TIME_START, TIME_END) : time);
  }

  private static List<String> aligned(List<List<String>> rows) {
    int[] widths = new int[HEADER.size()];
    for (List<String> row : rows) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      line.append(" ".repeat(widths[0] - row.get(0).length())).append(row.get(0));
      for (int column = 1; column < widths.length; column++) {
        line.append("  ").append(row.get(column));
        if (column < widths.length - 1) {
          line.append(" ".repeat(widths[column] - row.get(column).length()));
        }
      }
      lines.add(line.toString());
    }
    return lines;
  }

  /** Replaces characters that control a terminal or change the direction of text. */
  static String printable(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              switch (Character.getType(c)) {
                case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    safe.append('?');
                default -> safe.appendCodePoint(c);
              }
            });
    return safe.toString();
  }
}
