package io.penstock.bench.report;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Replaces sections and ratios on an existing page by new results. */
final class Amendment {
  private static final Pattern HEADING = Pattern.compile("^##", Pattern.MULTILINE);

  private Amendment() {}

  static String of(String page, List<Section> sections, List<Ratio> ratios) {
    String amended = page;
    for (Section section : sections) {
      int run = position(amended, "\n" + section.runHeading(), 0, section.title());
      int begin = position(amended, "\n" + section.heading(), run, section.title()) + 1;
      amended = replace(amended, begin, section.markdown());
    }
    Overview overview = Overview.parse(page).with(ratios);
    amended = replace(amended, ResultPage.SUMMARY, overview.summary());
    return replace(amended, ResultPage.RATIOS, overview.table());
  }

  private static String replace(String page, String heading, String text) {
    int begin = position(page, "\n" + heading, 0, heading.strip()) + 1;
    return replace(page, begin, heading + "\n" + text + "\n");
  }

  /** Replaces the section that begins at a position. */
  private static String replace(String page, int begin, String section) {
    Matcher next = HEADING.matcher(page);
    int end = next.find(begin + 1) ? next.start() : page.length();
    return page.substring(0, begin) + section + page.substring(end);
  }

  private static int position(String page, String heading, int from, String title) {
    int position = page.indexOf(heading, from);
    if (position < 0) {
      throw new IllegalStateException(
          "the page has no section %s; run bench/run all --report".formatted(title));
    }
    return position;
  }
}
