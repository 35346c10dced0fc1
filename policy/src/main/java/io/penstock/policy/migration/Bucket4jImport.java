package io.penstock.policy.migration;

import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problems;
import io.penstock.policy.migration.PolicyText.RuleText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Translates the properties of bucket4j-spring-boot-starter. Not thread-safe. */
public final class Bucket4jImport {
  private static final String ROOT = "bucket4j";
  private static final List<String> CONSTANTS = List.of("true", "1==1", "1 == 1");

  /** The units that rates have, by the names of {@code ChronoUnit}. */
  private static final Map<String, String> UNITS =
      Map.of("seconds", "s", "minutes", "m", "hours", "h", "days", "d");

  private final PolicyText policy;
  private final SpringProperties properties = new SpringProperties();
  private final Set<String> names = new HashSet<>();

  /** The requests of a filter, and how its limits are combined. */
  private record FilterScope(String name, List<String> paths, boolean first) {}

  private Bucket4jImport(String origin) {
    this.policy = new PolicyText(origin + ", for bucket4j-spring-boot-starter");
  }

  /**
   * Translates {@code application.yml} and {@code application.properties} files as one
   * configuration; a later file overrides the earlier ones.
   *
   * @throws PolicyException if one of them can't be read
   */
  public static ImportedPolicy of(List<Path> files) {
    Bucket4jImport imported =
        new Bucket4jImport(String.join(", ", files.stream().map(Path::toString).toList()));
    Problems problems = new Problems();
    files.forEach(file -> imported.properties.add(file, problems));
    problems.throwIfErrors();
    return imported.translate();
  }

  private ImportedPolicy translate() {
    if (properties.text(ROOT + ".enabled", "true").equalsIgnoreCase("false")) {
      policy.mode("off");
    }
    for (int i = 0; properties.hasBelow(filter(i)); i++) {
      filter(filter(i), i);
    }
    for (int i = 0; properties.hasBelow(method(i)); i++) {
      method(method(i), i);
    }
    reportUnread(ROOT, "");
    return policy.result();
  }

  private static String filter(int i) {
    return ROOT + ".filters[" + i + "]";
  }

  private static String method(int i) {
    return ROOT + ".methods[" + i + "]";
  }

  private void filter(String at, int number) {
    String name = unique(properties.text(at + ".id", "filter-" + (number + 1)));
    String url = properties.text(at + ".url", ".*");
    List<String> paths = UrlPattern.ofRegex(url);
    boolean first = properties.text(at + ".strategy", "first").equalsIgnoreCase("first");
    if (paths == null) {
      policy.missing(properties.at(at), "a filter for the URL " + url);
      properties.markRead(at);
      return;
    }
    int limits = 0;
    while (properties.hasBelow(limit(at, limits))) {
      limits++;
    }
    for (int i = 0; i < limits; i++) {
      String limitName = limits == 1 ? name : unique(name + "-" + (i + 1));
      rateLimit(limit(at, i), limitName, new FilterScope(name, paths, first && limits > 1));
    }
    reportUnread(at, "");
  }

  private static String limit(String filter, int i) {
    return filter + ".rate-limits[" + i + "]";
  }

  /** Limits of methods are asked for by name, with keys that the annotation states. */
  private void method(String at, int number) {
    String name = unique(properties.text(at + ".name", "method-" + (number + 1)));
    String limit = properties.hasBelow(at + ".rate-limit") ? at + ".rate-limit" : limit(at, 0);
    policy.missing(
        properties.at(at),
        "the conditions and keys of @RateLimiting(name = \""
            + name
            + "\"); @RateLimited names the rule");
    rateLimit(limit, name, new FilterScope("", List.of(), false));
    reportUnread(at, "");
  }

  private void rateLimit(String at, String name, FilterScope scope) {
    Location location = properties.at(at);
    String key = properties.text(at + ".cache-key", "1");
    CacheKey cacheKey = CacheKey.of(key);
    String obstacle = cacheKey == null ? "the key " + key : condition(at);
    Map<String, String> match = new LinkedHashMap<>();
    if (obstacle == null) {
      obstacle = match(at, scope, match);
    }
    List<Map<String, String>> limits = new ArrayList<>();
    if (obstacle == null) {
      obstacle = bandwidths(at, limits);
    }
    if (obstacle != null || cacheKey == null) {
      policy.missing(location, "a limit with " + obstacle);
      properties.markRead(at);
      return;
    }
    String inherits = properties.text(at + ".tokens-inheritance-strategy", "reset");
    if (!inherits.equalsIgnoreCase("reset") && !inherits.equalsIgnoreCase("as_is")) {
      policy.missing(location, "tokens-inheritance-strategy: what was consumed stays consumed");
    }
    RuleText rule = new RuleText().set("limit_keys", PolicyText.list(cacheKey.keys()));
    if (!match.isEmpty()) {
      rule.set("match", yaml(match));
    }
    if (scope.name.isEmpty()) {
      rule.set("manual", "true");
    } else {
      rule.set("group", PolicyText.quote(scope.first ? scope.name : name));
    }
    if (!cacheKey.keys().isEmpty()) {
      rule.set("on_missing_key", "share");
    }
    if (cacheKey.needsUser()) {
      policy.callerSupplies(CacheKey.USER);
    }
    if (limits.size() == 1) {
      limits.get(0).forEach(rule::set);
    } else {
      rule.set("limits", limits.stream().map(Bucket4jImport::yaml).toList().toString());
    }
    String tokens = properties.text(at + ".num-tokens", "1");
    if (!tokens.equals("1")) {
      rule.set("fixed_cost", tokens);
    }
    policy.add(location, name, rule);
  }

  /** Returns the condition of a limit that a rule can't express; null if there is none. */
  private @Nullable String condition(String at) {
    for (String field : List.of("execute-condition", "skip-condition", "post-execute-condition")) {
      String condition = properties.text(at + "." + field);
      if (condition != null
          && !(field.equals("execute-condition") && CONSTANTS.contains(condition))) {
        return field + ": " + condition;
      }
    }
    List<String> skipped = properties.texts(at + ".skip-predicates");
    return skipped.isEmpty() ? null : "skip-predicates: " + skipped;
  }

  /** Returns what a rule can't match by; null if there is nothing. */
  private @Nullable String match(String at, FilterScope scope, Map<String, String> match) {
    List<String> paths = scope.paths;
    for (String predicate : properties.texts(at + ".execute-predicates")) {
      int equals = predicate.indexOf('=');
      String type = equals < 0 ? predicate : predicate.substring(0, equals);
      List<String> values =
          equals < 0 ? List.of() : List.of(predicate.substring(equals + 1).split("\\s*,\\s*", -1));
      if (type.equalsIgnoreCase("METHOD") && !match.containsKey("method")) {
        match.put("method", PolicyText.list(values));
      } else if (type.equalsIgnoreCase("PATH") && paths.isEmpty()) {
        paths = paths(values);
        if (paths == null) {
          return "execute-predicates: " + predicate;
        }
      } else {
        return "execute-predicates: " + predicate;
      }
    }
    if (!paths.isEmpty()) {
      match.put("path", PolicyText.list(paths));
    }
    return null;
  }

  private static @Nullable List<String> paths(List<String> patterns) {
    Set<String> paths = new LinkedHashSet<>();
    for (String pattern : patterns) {
      List<String> matched = UrlPattern.ofSpring(pattern);
      if (matched == null || matched.isEmpty()) {
        return null;
      }
      paths.addAll(matched);
    }
    return List.copyOf(paths);
  }

  /** Adds the bandwidths of a limit as limits of a rule; returns what can't be expressed. */
  private @Nullable String bandwidths(String at, List<Map<String, String>> limits) {
    for (int i = 0; properties.hasBelow(at + ".bandwidths[" + i + "]"); i++) {
      String band = at + ".bandwidths[" + i + "]";
      String capacity = properties.text(band + ".capacity", "");
      String refill = properties.text(band + ".refill-capacity", capacity);
      String time = properties.text(band + ".time", "");
      String unit = UNITS.get(properties.text(band + ".unit", "").toLowerCase(Locale.ROOT));
      boolean interval =
          properties.text(band + ".refill-speed", "greedy").equalsIgnoreCase("interval");
      String id = properties.text(band + ".id");
      if (!(capacity + refill + time).matches("[0-9]+") || time.isEmpty() || unit == null) {
        return "the bandwidth "
            + String.join(" ", List.of(capacity, "in", time, properties.text(band + ".unit", "")))
            + (id == null ? "" : " (" + id + ")");
      }
      if (properties.text(band + ".initial-capacity") != null) {
        policy.missing(
            properties.at(band + ".initial-capacity"), "initial-capacity: a bucket starts full");
      }
      if (interval && refill.equals(capacity)) {
        policy.missing(
            properties.at(band),
            "intervals from the first request on: windows start with the clock");
        limits.add(fields("algorithm", "fixed_window", "limit", capacity, "window", time + unit));
        continue;
      }
      if (interval) {
        policy.missing(
            properties.at(band),
            "refill-speed: interval with a refill-capacity: refills continuously");
      }
      limits.add(fields("rate", refill + "/" + time + unit, "burst", capacity));
    }
    return limits.isEmpty() ? "no bandwidths" : null;
  }

  private static Map<String, String> fields(String... namesAndValues) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return fields;
  }

  /** Reports the properties that were not read, each once. */
  private void reportUnread(String at, String where) {
    Set<String> reported = new HashSet<>();
    for (Located<String> property : properties.unread(at)) {
      String name = property.path().replaceAll("\\[\\d+]", "").replaceFirst("^bucket4j\\.", "");
      if (reported.add(name)) {
        policy.missing(property.at(), where + name);
      }
    }
    properties.markRead(at + ".");
  }

  private String unique(String name) {
    String other = name;
    for (int i = 2; !names.add(other); i++) {
      other = name + " " + i;
    }
    return other;
  }

  private static String yaml(Map<String, String> match) {
    List<String> entries = new ArrayList<>();
    match.forEach((name, value) -> entries.add(name + ": " + value));
    return "{" + String.join(", ", entries) + "}";
  }
}
