package io.penstock.policy.advice;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Pattern;
import io.penstock.policy.accesslog.SafeText;
import io.penstock.policy.http.Json;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes suggestions as a policy with cases that test it. */
public final class AdvicePolicy {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final int MAX_NAME_LENGTH = 60;
  private static final Set<String> ROUTE = Set.of("path", "method", "host");

  private final Advice advice;
  private final String level;
  private final List<String> names = new ArrayList<>();
  private final List<GroupAdvice> groups = new ArrayList<>();
  private final Map<GroupAdvice, String> rejected = new LinkedHashMap<>();

  /**
   * @param level the name of the suggestions to use
   */
  public AdvicePolicy(Advice advice, String level) {
    this.advice = advice;
    this.level = level;
    advice.groups().forEach(this::add);
    if (problem() != null) {
      groups.clear();
      names.clear();
      advice.groups().forEach(this::addIfValid);
    }
  }

  private void add(GroupAdvice group) {
    groups.add(group);
    names.add(unique(group.match().isEmpty() ? "callers" : name(group.label())));
  }

  private void addIfValid(GroupAdvice group) {
    add(group);
    String problem = problem();
    if (problem != null) {
      groups.remove(groups.size() - 1);
      names.remove(names.size() - 1);
      rejected.put(group, problem);
    }
  }

  /** Returns whether the policy has no rule, because no suggestion can be written as one. */
  public boolean isEmpty() {
    return groups.isEmpty();
  }

  /** Returns the groups that the policy has rules for, in the same order. */
  List<GroupAdvice> written() {
    return List.copyOf(groups);
  }

  /** Returns why the policy is invalid; null if it is valid. */
  private @Nullable String problem() {
    try {
      var unused = PolicyLoader.parse(text(), "suggestion");
      return null;
    } catch (PolicyException e) {
      return e.problems().get(0).message();
    }
  }

  private String unique(String name) {
    String result = name;
    for (int i = 2; names.contains(result); i++) {
      result = name + "-" + i;
    }
    return result;
  }

  private static String name(String label) {
    String name =
        label.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    return name.isEmpty() ? "root" : name.substring(0, Math.min(name.length(), MAX_NAME_LENGTH));
  }

  /** Returns the policy as YAML. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append("# Suggested by penstock advise (").append(level).append(") from ");
    text.append(advice.span().requests()).append(" requests, ").append(advice.span().first());
    text.append(" to ").append(advice.span().last()).append(".\n");
    text.append(declarations(advice.options()));
    text.append("rules:\n");
    for (int i = 0; i < groups.size(); i++) {
      append(names.get(i), groups.get(i), text);
    }
    rejected.forEach(
        (group, problem) ->
            text.append("  # No rule for ")
                .append(SafeText.of(group.label()))
                .append(": ")
                .append(SafeText.of(problem))
                .append('\n'));
    return text.toString();
  }

  /** Returns what the rules refer to. */
  static String declarations(AdviceOptions options) {
    StringBuilder text = new StringBuilder();
    if (options.attributes().stream()
        .anyMatch(attribute -> attribute.source() == AttributeSource.CLAIM)) {
      text.append("# Replace the address by that of your issuer.\n");
      text.append("jwt: {jwks_url: \"https://id.example.com/.well-known/jwks.json\"}\n");
    }
    List<String> bare =
        options.attributes().stream()
            .filter(attribute -> attribute.source() == AttributeSource.STATED)
            .map(Attribute::toString)
            .toList();
    if (!bare.isEmpty()) {
      text.append("attributes: {");
      text.append(bare.stream().map(name -> name + ": caller").collect(Collectors.joining(", ")));
      text.append("}\n");
    }
    return text.toString();
  }

  /** Returns the conditions of a rule. */
  static String match(Map<String, String> match) {
    return match.entrySet().stream()
        .map(each -> quoted(each.getKey()) + ": " + quoted(each.getValue()))
        .collect(Collectors.joining(", ", "match: {", "}"));
  }

  private void append(String name, GroupAdvice group, StringBuilder text) {
    Suggestion suggestion = group.suggestion(level);
    text.append("  # Would have denied ").append(suggestion.denied()).append(" of ");
    text.append(group.requests()).append(" requests, of ").append(suggestion.deniedKeys());
    text.append(" of ").append(group.keys()).append(" keys.\n");
    overlapping(group)
        .forEach(
            other -> text.append("  # Also applies to ").append(SafeText.of(other)).append(".\n"));
    text.append("  - name: ").append(quoted(name)).append("\n    limit_keys: [");
    text.append(
        advice.options().keys().stream()
            .map(key -> quoted(key.toString()))
            .collect(Collectors.joining(", ")));
    text.append("]\n");
    if (!group.match().isEmpty()) {
      text.append("    ").append(match(group.match())).append('\n');
    }
    if (!ROUTE.containsAll(group.match().keySet())) {
      // Rules for the same route would be tiers of one group and share a bucket.
      text.append("    group: ").append(quoted(name)).append('\n');
    }
    if (advice.options().sharesMissingKeys()) {
      text.append("    on_missing_key: share\n");
    }
    text.append("    rate: ").append(suggestion.rate()).append('\n');
    text.append("    burst: ").append(suggestion.burst()).append('\n');
  }

  /**
   * Returns the other groups that the rule of a group applies to, because {@code *} matches more.
   */
  private List<String> overlapping(GroupAdvice group) {
    return groups.stream()
        .filter(other -> !other.equals(group) && covers(group, other))
        .map(GroupAdvice::label)
        .toList();
  }

  private static boolean covers(GroupAdvice group, GroupAdvice other) {
    return group.match().entrySet().stream()
        .allMatch(
            each -> {
              String value = other.match().getOrDefault(each.getKey(), "");
              boolean isPattern = each.getKey().equals("path") || each.getKey().equals("host");
              return isPattern
                  ? new Pattern(each.getValue()).matches(value)
                  : each.getValue().equals(value);
            });
  }

  /**
   * Returns cases that the policy passes: a burst is allowed, one request more is not, and after
   * the time for one token another one is.
   *
   * @param policyFile the name of the policy
   */
  public String cases(String policyFile) {
    StringBuilder text = new StringBuilder("policy: ").append(quoted(policyFile)).append('\n');
    text.append("cases:\n");
    for (int i = 0; i < groups.size(); i++) {
      GroupAdvice group = groups.get(i);
      if (groups.stream().anyMatch(each -> !each.equals(group) && covers(each, group))) {
        text.append("  # ").append(names.get(i)).append(" has no case, because other rules apply");
        text.append(" to its requests, too.\n");
      } else {
        appendCase(names.get(i), group, text);
      }
    }
    return text.toString();
  }

  private void appendCase(String name, GroupAdvice group, StringBuilder text) {
    Suggestion suggestion = group.suggestion(level);
    String request = "request: " + request(group);
    long refillMillis =
        ceilDiv(
            ceilDiv(suggestion.rate().periodNanos(), suggestion.rate().tokens()), NANOS_PER_MILLI);
    text.append("  - name: ").append(quoted(name + " allows its burst, then its rate"));
    text.append("\n    requests:\n      - {").append(request).append(", times: ");
    text.append(suggestion.burst()).append(", expect: {allowed: true}}\n      - {").append(request);
    text.append(", expect: {allowed: false, rule: ")
        .append(quoted(name))
        .append("}}\n      - {at: ");
    text.append(refillMillis).append("ms, ").append(request).append(", expect: {allowed: true}}\n");
  }

  private static long ceilDiv(long a, long b) {
    return (a + b - 1) / b;
  }

  private String request(GroupAdvice group) {
    Map<Attribute, String> values = new LinkedHashMap<>();
    for (KeyPart part : advice.options().keys()) {
      Attribute first = part.alternatives().get(0);
      values.put(
          first,
          switch (first.source()) {
            case ADDRESS -> "192.0.2.1";
            case PATH -> "/example";
            case METHOD -> "GET";
            case HOST -> "example.com";
            default -> "alice";
          });
    }
    group
        .match()
        .forEach((name, value) -> values.put(Attribute.parse(name), value.replace("*", "42")));
    return values.entrySet().stream()
        .collect(
            Collectors.groupingBy(
                each -> section(each.getKey()),
                LinkedHashMap::new,
                Collectors.mapping(
                    each ->
                        each.getKey().name().isEmpty()
                            ? quoted(each.getValue())
                            : quoted(each.getKey().name()) + ": " + quoted(each.getValue()),
                    Collectors.joining(", "))))
        .entrySet()
        .stream()
        .map(
            each ->
                each.getKey().endsWith("{")
                    ? each.getKey() + each.getValue() + "}"
                    : each.getKey() + each.getValue())
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String section(Attribute attribute) {
    return switch (attribute.source()) {
      case ADDRESS -> "ip: ";
      case METHOD -> "method: ";
      case PATH -> "path: ";
      case HOST -> "host: ";
      case HEADER -> "headers: {";
      case QUERY -> "query: {";
      case COOKIE -> "cookies: {";
      case CLAIM -> "jwt: {";
      case STATED -> "attributes: {";
    };
  }

  /** Returns a JSON string, which YAML parsers read, too. */
  private static String quoted(String text) {
    return new String(Json.bytes(json -> json.writeString(text)), UTF_8);
  }
}
