package io.penstock.policy.report;

import io.penstock.policy.accesslog.SafeText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table for terminals. The first column is aligned to the left, all others to the right. */
public final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... header) {
    rows.add(List.of(header));
  }

  /** Adds a row. Control characters are escaped. */
  public TextTable row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(SafeText.of(String.valueOf(cell)));
    }
    rows.add(row);
    return this;
  }

  /** Returns the lines, indented by two spaces. */
  public List<String> lines() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String cell = row.get(i);
        String space = " ".repeat(widths[i] - cell.length());
        line.append("  ").append(i == 0 ? cell + space : space + cell);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  /** Formats a count with separators: {@code 1,234,567}. */
  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** Formats a share in percent: {@code 0.13 %}. */
  public static String percent(long part, long whole) {
    double share = whole == 0 ? 0 : 100.0 * part / whole;
    return part == 0
        ? "0 %"
        : share < 0.01
            ? "<0.01 %"
            : String.format(Locale.ROOT, share < 10 ? "%.2f %%" : "%.1f %%", share);
  }
}
