package io.penstock.policy.load;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Detects path patterns in another syntax: regular expressions and templates such as {@code
 * /users/{id}}. A pattern with such a character in a path can escape it, for example as {@code
 * %7B}.
 */
final class PathSyntax {
  /** The parts of a regular expression that hardly occur in paths. */
  private static final Pattern REGEX =
      Pattern.compile(
          "^\\^" // an anchor at the start
              + "|(?:[*+)\\]/]|\\w)\\$$" // an anchor at the end
              + "|\\\\[.dDwWsS/-]" // an escape such as \d or \.
              + "|/\\.[*+]" // any segments
              + "|[)\\]][*+?{]" // a repeated group or class
              + "|\\(\\?[:=!<]"
              + "|\\([^()|]*\\|[^()]*\\)" // alternatives
              + "|\\[(?:\\^|[^\\]/]-)[^\\]]*\\]"); // a class such as [^/] or [0-9]

  private static final Pattern TEMPLATE = Pattern.compile("\\{[^}/]*\\}|/:[A-Za-z_]\\w*|<\\w+>");

  /** Parts that mean any text, most specific first. */
  private static final Pattern ANY =
      Pattern.compile(
          "(?:\\[[^\\]]*\\]|\\\\[dDwWsS]|\\.)(?:[*+?]|\\{[^}]*\\})*"
              + "|\\{[^}/]*\\}|(?<=/):[A-Za-z_]\\w*|<\\w+>");

  private static final Pattern ALTERNATIVES = Pattern.compile("\\((?:\\?:)?([^()]*\\|[^()]*)\\)");
  private static final Pattern PLAIN = Pattern.compile("/[^\\\\^$(){}\\[\\]+?|<>]*");
  private static final String DOT = "\u0000";

  private PathSyntax() {}

  /** Returns what is wrong with a pattern, and a suggestion; null if nothing is. */
  static @Nullable String error(String pattern) {
    boolean isRegex = REGEX.matcher(pattern).find();
    if (!isRegex && !TEMPLATE.matcher(pattern).find()) {
      return null;
    }
    String kind = isRegex ? "a regular expression" : "a path template";
    return "must not be "
        + kind
        + "; * is the only wildcard and matches any characters: "
        + pattern
        + hint(pattern);
  }

  private static String hint(String pattern) {
    List<String> patterns = alternatives(pattern).map(PathSyntax::converted).toList();
    if (!patterns.stream().allMatch(each -> PLAIN.matcher(each).matches())) {
      return "";
    }
    String list = patterns.stream().distinct().collect(Collectors.joining(", "));
    return "; did you mean " + (patterns.size() > 1 ? "[" + list + "]" : list) + "?";
  }

  private static Stream<String> alternatives(String pattern) {
    var group = ALTERNATIVES.matcher(pattern);
    if (!group.find()) {
      return Stream.of(pattern);
    }
    String before = pattern.substring(0, group.start());
    String after = pattern.substring(group.end());
    return Stream.of(group.group(1).split("\\|", -1)).map(each -> before + each + after);
  }

  private static String converted(String pattern) {
    String text = pattern.replaceFirst("^\\^", "").replaceFirst("\\$$", "");
    String escaped = text.replace("\\.", DOT).replace("\\/", "/").replace("\\-", "-");
    String starred = ANY.matcher(escaped).replaceAll(match -> star(match.group()));
    return starred.replace(DOT, ".").replaceAll("\\*+", "*");
  }

  /** A single dot may be a literal one; everything else becomes a wildcard. */
  private static String star(String part) {
    return part.equals(".") ? "." : "*";
  }
}
