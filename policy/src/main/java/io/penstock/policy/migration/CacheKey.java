package io.penstock.policy.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The attributes for the cache key of bucket4j-spring-boot-starter, an expression in SpEL.
 *
 * @param keys one for each part of a concatenation; empty for a constant
 */
record CacheKey(List<String> keys) {
  static final String USER = "user_id";

  private static final String NAME = "['\"]([A-Za-z0-9_-]+)['\"]";
  private static final Pattern ADDRESS =
      Pattern.compile("(this\\.)?(getRemoteAddr(ess)?\\(\\)|remoteAddr(ess)?)(\\..*)?");
  private static final Pattern HEADER =
      Pattern.compile(
          "(this\\.)?(getHeader\\(|getHeaders\\(\\)\\.getFirst\\(|headers(\\.getFirst\\(|\\[))"
              + NAME
              + "[)\\]].*");
  private static final Pattern PARAMETER =
      Pattern.compile(
          "(this\\.)?(getParameter\\(|getQueryParams\\(\\)\\.getFirst\\()" + NAME + "\\)");
  private static final Pattern PATH =
      Pattern.compile(
          "(this\\.)?(getRequestURI\\(\\)|getServletPath\\(\\)|getURI\\(\\)\\.getPath\\(\\))");
  private static final Pattern PRINCIPAL =
      Pattern.compile(
          ".*(getUserPrincipal\\(\\)|principal|getRemoteUser\\(\\)|username\\(\\)|getName\\(\\)).*");
  private static final Pattern CONSTANT = Pattern.compile("-?\\d+|'[^']*'|\"[^\"]*\"");

  CacheKey {
    keys = List.copyOf(keys);
  }

  /** Returns the key for an expression; null if it can't be expressed. */
  static @Nullable CacheKey of(String expression) {
    List<String> keys = new ArrayList<>();
    for (String part : split(expression, "+")) {
      if (!CONSTANT.matcher(part).matches()) {
        List<String> alternatives = new ArrayList<>();
        for (String alternative : split(part, "?:")) {
          String attribute = attribute(alternative);
          if (attribute == null) {
            return null;
          }
          alternatives.add(attribute);
        }
        keys.add(String.join("|", alternatives));
      }
    }
    return keys.stream().distinct().count() == keys.size() ? new CacheKey(keys) : null;
  }

  boolean needsUser() {
    return keys.stream().anyMatch(key -> List.of(key.split("\\|", -1)).contains(USER));
  }

  private static @Nullable String attribute(String expression) {
    if (ADDRESS.matcher(expression).matches()) {
      return "ip:address";
    }
    Matcher header = HEADER.matcher(expression);
    if (header.matches()) {
      return "header:" + header.group(4).toLowerCase(Locale.ROOT);
    }
    Matcher parameter = PARAMETER.matcher(expression);
    if (parameter.matches()) {
      return "query:" + parameter.group(3);
    }
    if (PATH.matcher(expression).matches()) {
      return "path";
    }
    if (expression.matches("(this\\.)?getMethod\\(\\)")) {
      return "method";
    }
    return PRINCIPAL.matcher(expression).matches() ? USER : null;
  }

  /** Splits at an operator outside of quotes. */
  private static List<String> split(String expression, String operator) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    char quote = 0;
    for (int i = 0; i < expression.length(); i++) {
      char c = expression.charAt(i);
      if (quote == 0 && expression.startsWith(operator, i)) {
        parts.add(part.toString());
        part.setLength(0);
        i += operator.length() - 1;
        continue;
      }
      if (c == '\'' || c == '"') {
        quote = quote == 0 ? c : quote == c ? 0 : quote;
      }
      part.append(c);
    }
    parts.add(part.toString());
    return parts.stream().map(String::strip).collect(Collectors.toList());
  }
}
