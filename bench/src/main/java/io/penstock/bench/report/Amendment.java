package io.penstock.bench.report;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts what was measured again in its place on a page that was made before. */
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
    int run = place(page, "\n" + section.runHeading(), 0, section);
    int begin = place(page, "\n" + section.heading(), run, section) + 1;
    Matcher next = HEADING.matcher(page);
    int end = next.find(begin + 1) ? next.start() : page.length();
    return page.substring(0, begin) + section.markdown() + page.substring(end);
  }

  private static int place(String page, String heading, int from, Section section) {
    int place = page.indexOf(heading, from);
    if (place < 0) {
      throw new IllegalStateException(
          "the page has no section %s; make it anew".formatted(section.title()));
    }
    return place;
  }

  /** A row that isn't there yet is the last. */
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
