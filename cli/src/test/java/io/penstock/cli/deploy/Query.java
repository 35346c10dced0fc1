package io.penstock.cli.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What a query in PromQL names: enough of the language for the queries that we have. */
record Query(String text) {
  private static final Pattern STRING = Pattern.compile("\"[^\"]*\"");
  private static final Pattern GROUPING = Pattern.compile("\\b(?:by|without)\\s*\\(([^)]*)\\)");
  private static final Pattern FIGURE =
      Pattern.compile("\\b([a-z][a-z_]*_[a-z_]+|up)\\b(?!\\s*\\()(?:\\{([^}]*)})?");
  private static final Pattern MATCHER =
      Pattern.compile("([a-z_]+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

  /** What Prometheus itself adds to everything. */
  private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

  /** All that it names and that isn't there. */
  List<String> mistakes(Figures figures) {
    List<String> mistakes = new ArrayList<>();
    Set<String> known = new TreeSet<>(OF_PROMETHEUS);
    List<MatchResult> named =
        FIGURE.matcher(GROUPING.matcher(text).replaceAll(" ")).results().toList();
    if (named.isEmpty()) {
      mistakes.add("no figure in " + text);
    }
    for (MatchResult figure : named) {
      Map<String, TreeSet<String>> labels = figures.byName().get(figure.group(1));
      if (labels != null) {
        known.addAll(labels.keySet());
        mistakes.addAll(wrongMatchers(figure, labels));
      } else if (!figure.group(1).equals("up")) {
        mistakes.add("no figure " + figure.group(1));
      }
    }
    for (MatchResult grouping : GROUPING.matcher(text).results().toList()) {
      for (String label : grouping.group(1).split("\\s*,\\s*", -1)) {
        if (!known.contains(label)) {
          mistakes.add("no label " + label + " in " + text);
        }
      }
    }
    if (!isBalanced()) {
      mistakes.add("brackets don't fit in " + text);
    }
    return mistakes;
  }

  private static List<String> wrongMatchers(
      MatchResult figure, Map<String, TreeSet<String>> labels) {
    List<String> mistakes = new ArrayList<>();
    String matchers = figure.group(2) == null ? "" : figure.group(2);
    for (MatchResult matcher : MATCHER.matcher(matchers).results().toList()) {
      String label = matcher.group(1);
      if (OF_PROMETHEUS.contains(label)) {
        continue;
      }
      TreeSet<String> values = labels.get(label);
      if (values == null) {
        mistakes.add("no label " + label + " of " + figure.group(1));
      } else if (matcher.group(2).equals("=") && !values.contains(matcher.group(3))) {
        mistakes.add(figure.group(1) + " has no " + label + " " + matcher.group(3));
      }
    }
    return mistakes;
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
