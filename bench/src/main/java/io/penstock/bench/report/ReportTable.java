package io.penstock.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table with a title, a header and rows. The first column is text, the others are figures. */
public final class ReportTable {
  private static final String GAP = "   ";

  private final String title;
  private final List<List<String>> lines = new ArrayList<>();

  public ReportTable(String title, String... header) {
    this.title = title;
    lines.add(List.of(header));
  }

  public void add(String... cells) {
    if (cells.length != lines.get(0).size()) {
      throw new IllegalArgumentException(
          "must have %d cells: %s".formatted(lines.get(0).size(), List.of(cells)));
    }
    lines.add(List.of(cells));
  }

  @Override
  public String toString() {
    List<Integer> widths = IntStream.range(0, lines.get(0).size()).mapToObj(this::width).toList();
    return lines.stream()
        .map(line -> line(line, widths))
        .collect(Collectors.joining("\n", title + "\n", "\n"));
  }

  /** Returns the table as Markdown. */
  public String markdown() {
    StringBuilder text = new StringBuilder("**" + title + "**\n\n");
    for (int i = 0; i < lines.size(); i++) {
      text.append("| ").append(String.join(" | ", escaped(lines.get(i)))).append(" |\n");
      if (i == 0) {
        text.append("|---").append("|---:".repeat(lines.get(0).size() - 1)).append("|\n");
      }
    }
    return text.toString();
  }

  private static List<String> escaped(List<String> cells) {
    return cells.stream().map(cell -> cell.replace("|", "\\|")).toList();
  }

  private int width(int column) {
    return lines.stream().mapToInt(line -> line.get(column).length()).max().orElse(0);
  }

  private static String line(List<String> cells, List<Integer> widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String padding = " ".repeat(widths.get(i) - cells.get(i).length());
      line.append(GAP).append(i == 0 ? cells.get(i) + padding : padding + cells.get(i));
    }
    return line.toString().stripTrailing();
  }
}
