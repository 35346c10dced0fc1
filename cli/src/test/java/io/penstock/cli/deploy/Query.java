package io.penstock.cli.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A PromQL query. Parses as much of the language as our queries use. */
record Query(String text) {
  private static final Pattern STRING = Pattern.compile("\"[^\"]*\"");
  private static final Pattern GROUPING = Pattern.compile("\\b(?:by|without)\\s*\\(([^)]*)\\)");
  private static final Pattern METRIC =
      Pattern.compile("\\b([a-z][a-z_]*_[a-z_]+|up)\\b(?!\\s*\\()(?:\\{([^}]*)})?");
  private static final Pattern MATCHER =
      Pattern.compile("([a-z_]+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

  /** The labels that Prometheus adds to every metric. */
  private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

  /** Returns an error for each metric or label that doesn't exist. */
  List<String> errors(ScrapedMetrics figures) {
    List<String> errors = new ArrayList<>();
    Set<String> known = new TreeSet<>(OF_PROMETHEUS);
    List<MatchResult> named =
        METRIC.matcher(GROUPING.matcher(text).replaceAll(" ")).results().toList();
    if (named.isEmpty()) {
      errors.add("no metric in " + text);
    }
    for (MatchResult metric : named) {
      Map<String, TreeSet<String>> labels = figures.byName().get(metric.group(1));
      if (labels != null) {
        known.addAll(labels.keySet());
        errors.addAll(matcherErrors(metric, labels));
      } else if (!metric.group(1).equals("up")) {
        errors.add("unknown metric " + metric.group(1));
      }
    }
    for (MatchResult grouping : GROUPING.matcher(text).results().toList()) {
      for (String label : grouping.group(1).split("\\s*,\\s*", -1)) {
        if (!known.contains(label)) {
          errors.add("unknown label " + label + " in " + text);
        }
      }
    }
    if (!isBalanced()) {
      errors.add("unbalanced brackets in " + text);
    }
    return errors;
  }

  private static List<String> matcherErrors(
      MatchResult metric, Map<String, TreeSet<String>> labels) {
    List<String> errors = new ArrayList<>();
    String matchers = metric.group(2) == null ? "" : metric.group(2);
    for (MatchResult matcher : MATCHER.matcher(matchers).results().toList()) {
      String label = matcher.group(1);
      if (OF_PROMETHEUS.contains(label)) {
        continue;
      }
      TreeSet<String> values = labels.get(label);
      if (values == null) {
        errors.add("unknown label " + label + " of " + metric.group(1));
      } else if (matcher.group(2).equals("=") && !values.contains(matcher.group(3))) {
        errors.add(metric.group(1) + " has no " + label + " " + matcher.group(3));
      }
    }
    return errors;
  }

  private boolean isBalanced() {
    String open = "";
    for (char c : STRING.matcher(text).replaceAll("").toCharArray()) {
      int closes = ")]}".indexOf(c);
      if ("([{".indexOf(c) >= 0) {
        open += c;
      } else if (closes >= 0) {
        if (open.isEmpty() || open.charAt(open.length() - 1) != "([{".charAt(closes)) {
          return false;
        }
        open = open.substring(0, open.length() - 1);
      }
    }
    return open.isEmpty();
  }
}
