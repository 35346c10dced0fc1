package io.penstock.cli.deploy;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metrics of {@code /metrics}: the labels of each metric, and the values of each label.
 *
 * @param byName keyed by names such as {@code penstock_decision_seconds_bucket}
 */
record ScrapedMetrics(Map<String, Map<String, TreeSet<String>>> byName) {
  private static final Pattern LINE = Pattern.compile("(?m)^([a-z_]+)(?:\\{([^}]*)})? \\S+$");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");

  static ScrapedMetrics none() {
    return new ScrapedMetrics(new TreeMap<>());
  }

  /** Adds the metrics of another scrape and returns this object. */
  ScrapedMetrics and(String scrape) {
    for (MatchResult line : LINE.matcher(scrape).results().toList()) {
      Map<String, TreeSet<String>> labels =
          byName.computeIfAbsent(line.group(1), name -> new TreeMap<>());
      Matcher label = LABEL.matcher(line.group(2) == null ? "" : line.group(2));
      while (label.find()) {
        labels.computeIfAbsent(label.group(1), name -> new TreeSet<>()).add(label.group(2));
      }
    }
    return this;
  }
}
