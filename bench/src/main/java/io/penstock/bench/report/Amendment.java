package io.penstock.bench.report;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Replaces sections and ratios on an existing page by new results. */
final class Amendment {
  private static final Pattern HEADING = Pattern.compile("^##", Pattern.MULTILINE);
  private static final Pattern ROW = Pattern.compile("^\\| `.*\\n", Pattern.MULTILINE);

  private Amendment() {}

  static String of(String page, List<Section> sections, List<Ratio> ratios) {
    String amended = page;
    for (Section section : sections) {
      amended = replace(amended, section);
    }
    for (Ratio ratio : ratios) {
      amended = replace(amended, ratio);
    }
    return amended;
  }

  private static String replace(String page, Section section) {
    int run = position(page, "\n" + section.runHeading(), 0, section);
    int begin = position(page, "\n" + section.heading(), run, section) + 1;
    Matcher next = HEADING.matcher(page);
    int end = next.find(begin + 1) ? next.start() : page.length();
    return page.substring(0, begin) + section.markdown() + page.substring(end);
  }

  private static int position(String page, String heading, int from, Section section) {
    int position = page.indexOf(heading, from);
    if (position < 0) {
      throw new IllegalStateException(
          "the page has no section %s; run bench/run all --report".formatted(section.title()));
    }
    return position;
  }

  /** Replaces the row of a ratio. A new row is appended. */
  private static String replace(String page, Ratio ratio) {
    String row = Page.row(ratio);
    Matcher rows = ROW.matcher(page);
    int end = 0;
    while (rows.find()) {
      if (rows.group().startsWith("| `" + ratio.name() + "` |")) {
        return page.substring(0, rows.start()) + row + page.substring(rows.end());
      }
      end = rows.end();
    }
    return page.substring(0, end) + row + page.substring(end);
  }
}
