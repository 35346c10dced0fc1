package io.penstock.policy.migration;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problems;
import io.penstock.policy.migration.PolicyText.RuleText;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Translates policy bundles of Fairvisor Edge. Not thread-safe. */
public final class FairvisorImport {
  private static final Pattern KEY =
      Pattern.compile("ip:address|(jwt|header|query):[A-Za-z0-9_-]+");
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT");

  private final PolicyText policy;
  private final Problems problems = new Problems();
  private final Set<String> names = new HashSet<>();
  private final Instant now;

  /** The parts of a rule that come from its policy. */
  private record PolicyScope(String id, Map<String, String> match, boolean shadow) {}

  private FairvisorImport(String origin, Instant now) {
    this.policy = new PolicyText(origin + ", for Fairvisor");
    this.now = now;
  }

  /**
   * Translates bundles as one policy.
   *
   * @throws PolicyException if one of them can't be read or is malformed
   */
  public static ImportedPolicy of(List<Path> files) {
    return of(files, Instant.now());
  }

  static ImportedPolicy of(List<Path> files, Instant now) {
    FairvisorImport bundles =
        new FairvisorImport(String.join(", ", files.stream().map(Path::toString).toList()), now);
    for (Path file : files) {
      Node document = Document.read(file, bundles.problems);
      Fields fields =
          document == null
              ? null
              : Fields.of(new Located<>(document, document.at(), ""), bundles.problems);
      if (fields != null) {
        bundles.bundle(fields);
      }
    }
    bundles.problems.throwIfErrors();
    return bundles.policy.result();
  }

  private void bundle(Fields fields) {
    fields.declareKnown(List.of("bundle_version", "issued_at"));
    if (fields.given("expires_at")) {
      Instant end = time(fields, "expires_at");
      policy.missing(
          at(fields, "expires_at"),
          end != null && end.isBefore(now)
              ? "expires_at: Fairvisor rejects this bundle, which has expired"
              : "expires_at: the policy does not expire");
    }
    if (isActive(fields, "global_shadow")) {
      policy.mode("shadow");
      policy.missing(
          at(fields, "global_shadow"), "expires_at: mode: shadow stays until it is removed");
    }
    boolean overridden = isActive(fields, "kill_switch_override");
    if (overridden) {
      policy.missing(
          at(fields, "kill_switch_override"),
          "expires_at: the kill switches are off until you set their mode");
    }
    for (Fields killSwitch : items(fields, "kill_switches")) {
      killSwitch(killSwitch, overridden);
    }
    for (Fields item : items(fields, "policies")) {
      policy(item);
    }
    reportOthers(fields, "");
  }

  /** Returns whether a block with {@code enabled} and {@code expires_at} is in effect. */
  private boolean isActive(Fields fields, String name) {
    Fields block = fields.given(name) ? fields.mapping(name) : null;
    if (block == null) {
      return false;
    }
    block.declareKnown(List.of("reason"));
    boolean enabled = block.given("enabled") && block.flag("enabled");
    Instant end = time(block, "expires_at");
    return enabled && (end == null || end.isAfter(now));
  }

  private @Nullable Instant time(Fields fields, String name) {
    String text = fields.given(name) ? fields.text(name) : null;
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException malformed) {
      fields.error(name, "must be a time such as 2030-01-01T00:00:00Z: " + text);
      return null;
    }
  }

  private void killSwitch(Fields fields, boolean overridden) {
    String key = fields.text("scope_key");
    String value = fields.text("scope_value");
    String route = fields.given("route") ? fields.text("route") : null;
    String reason = fields.given("reason") ? fields.text("reason") : null;
    Instant end = time(fields, "expires_at");
    reportOthers(fields, "kill_switches: ");
    if (key == null || value == null || (end != null && end.isBefore(now))) {
      return;
    }
    if (!KEY.matcher(key).matches()) {
      policy.missing(fields.at(), "kill switch by " + key);
      return;
    }
    if (end != null) {
      policy.missing(
          fields.at(), "expires_at: the rule for the kill switch stays until it is removed");
    }
    Map<String, String> match = new LinkedHashMap<>();
    if (route != null) {
      match.put("path", PolicyText.quote(literalPath(route)));
    }
    match.put(PolicyText.quote(key), PolicyText.quote(value));
    String name = unique("kill switch " + key + "=" + value, fields.at());
    RuleText rule = new RuleText().comment("Denies every request: none fits into the burst.");
    if (reason != null) {
      rule.set("description", PolicyText.quote(reason));
    }
    rule.set("limit_keys", "[]").set("match", yaml(match)).set("group", PolicyText.quote(name));
    rule.set("rate", "0.001/d").set("burst", "0.001");
    if (overridden) {
      rule.set("mode", "off");
    }
    policy.add(fields.at(), name, rule);
  }

  private void policy(Fields fields) {
    String id = fields.text("id");
    Fields spec = fields.mapping("spec");
    reportOthers(fields, "policies: ");
    if (id == null || spec == null) {
      return;
    }
    Map<String, String> match = new LinkedHashMap<>();
    Fields selector = spec.mapping("selector");
    boolean reachable = selector != null && selector(selector, match);
    String mode = spec.given("mode") ? spec.text("mode") : "enforce";
    PolicyScope scope = new PolicyScope(id, match, "shadow".equals(mode));
    List<Fields> rules = items(spec, "rules");
    Fields fallback = spec.given("fallback_limit") ? spec.mapping("fallback_limit") : null;
    for (String block : List.of("loop_detection", "circuit_breaker")) {
      Fields advanced = spec.given(block) ? spec.mapping(block) : null;
      if (advanced != null && advanced.given("enabled") && advanced.flag("enabled")) {
        policy.missing(advanced.at(), block);
      }
    }
    reportOthers(spec, "spec: ");
    if (!reachable) {
      policy.missing(
          fields.at(), "a policy without pathExact and pathPrefix, which matches nothing");
      return;
    }
    boolean tiers = fallback != null && rules.size() == 1 && rules.get(0).given("match");
    String group = tiers ? id + " with fallback" : "";
    rules.forEach(rule -> rule(rule, scope, group));
    if (fallback != null) {
      fallback(fallback, rules, scope, group);
    }
  }

  private void fallback(Fields fallback, List<Fields> rules, PolicyScope scope, String group) {
    if (rules.stream().anyMatch(rule -> !rule.given("match"))) {
      policy.missing(
          fallback.at(), "fallback_limit, which never applies: a rule matches every request");
    } else if (rules.size() > 1) {
      policy.missing(
          fallback.at(), "fallback_limit beside several rules, of which more than one may apply");
    } else {
      rule(fallback, scope, group);
    }
  }

  /** Translates the route of a policy; returns false if it has none. */
  private boolean selector(Fields fields, Map<String, String> match) {
    List<String> paths = new ArrayList<>();
    String exact = fields.given("pathExact") ? fields.text("pathExact") : null;
    if (exact != null) {
      paths.add(literalPath(exact));
    }
    String prefix = fields.given("pathPrefix") ? fields.text("pathPrefix") : null;
    boolean everywhere = "/".equals(prefix);
    if (prefix != null) {
      paths.add(literalPath(prefix.endsWith("/") ? prefix : prefix + "/") + "*");
    }
    if (!everywhere && !paths.isEmpty()) {
      match.put("path", PolicyText.list(paths));
    }
    List<String> methods = texts(fields, "methods");
    List<String> known = methods.stream().filter(METHODS::contains).toList();
    if (!known.isEmpty()) {
      match.put("method", PolicyText.list(known));
    }
    if (known.size() < methods.size()) {
      policy.missing(fields.at(), "methods that do not exist: " + methods);
    }
    List<String> hosts = texts(fields, "hosts");
    if (!hosts.isEmpty()) {
      match.put("host", PolicyText.list(hosts));
    }
    reportOthers(fields, "selector: ");
    return !paths.isEmpty();
  }

  private void rule(Fields fields, PolicyScope scope, String group) {
    String stated = fields.given("name") ? fields.text("name") : null;
    List<String> keys = texts(fields, "limit_keys");
    Map<String, String> match = new LinkedHashMap<>(scope.match);
    boolean expressible = keys.stream().allMatch(key -> isKey(key, fields));
    Fields conditions = fields.given("match") ? fields.mapping("match") : null;
    if (conditions != null) {
      for (String key : conditions.names()) {
        String value = conditions.text(key);
        expressible &= isKey(key, fields);
        match.put(PolicyText.quote(key), PolicyText.quote(String.valueOf(value)));
      }
    }
    String algorithm = fields.text("algorithm");
    Fields config = fields.mapping("algorithm_config");
    reportOthers(fields, "");
    if (!expressible || algorithm == null || config == null) {
      return;
    }
    String name = unique(stated == null ? scope.id + " fallback_limit" : stated, fields.at());
    RuleText rule = new RuleText().set("limit_keys", PolicyText.list(keys));
    if (!match.isEmpty()) {
      rule.set("match", yaml(match));
    }
    rule.set("group", PolicyText.quote(group.isEmpty() ? name : group));
    if (!keys.isEmpty()) {
      rule.set("on_missing_key", "skip");
    }
    boolean translated =
        switch (algorithm) {
          case "token_bucket" -> tokenBucket(config, rule);
          case "cost_based" -> budget(config, rule);
          case "token_bucket_llm" -> llm(config, rule);
          default -> false;
        };
    if (!translated) {
      policy.missing(fields.at(), "algorithm " + algorithm);
      return;
    }
    reportOthers(config, algorithm + ": ");
    if (scope.shadow) {
      rule.set("mode", "shadow");
    }
    policy.add(fields.at(), name, rule);
  }

  private boolean isKey(String key, Fields rule) {
    boolean known = KEY.matcher(key).matches();
    if (!known) {
      policy.missing(rule.at(), "a rule by " + key);
    }
    return known;
  }

  private static boolean tokenBucket(Fields config, RuleText rule) {
    BigDecimal alias = optional(config, "rps");
    BigDecimal rate = optional(config, "tokens_per_second");
    if (rate == null) {
      rate = alias;
    }
    BigDecimal burst = config.number("burst");
    if (rate == null || burst == null) {
      return false;
    }
    rule.set("rate", plain(rate) + "/s").set("burst", plain(burst));
    cost(config, "cost_source", rule);
    return true;
  }

  private boolean budget(Fields config, RuleText rule) {
    BigDecimal budget = config.number("budget");
    String period = config.text("period");
    if (budget == null || period == null) {
      return false;
    }
    rule.set("algorithm", "fixed_window").set("limit", plain(budget)).set("window", period);
    if (period.equals("7d")) {
      policy.missing(config.at(), "weeks from Sunday on; the windows of 7d start on Thursdays");
    }
    for (Fields stage : items(config, "staged_actions")) {
      String action = stage.text("action");
      stage.declareKnown(List.of("threshold_percent", "delay_ms"));
      if (!"reject".equals(action)) {
        policy.missing(stage.at(), "the action " + action + " before the budget is spent");
      }
    }
    cost(config, "cost_key", rule);
    return true;
  }

  private boolean llm(Fields config, RuleText rule) {
    BigDecimal perMinute = config.number("tokens_per_minute");
    BigDecimal perDay = optional(config, "tokens_per_day");
    BigDecimal burst = optional(config, "burst_tokens");
    BigDecimal completion = optional(config, "default_max_completion");
    Fields source = config.given("token_source") ? config.mapping("token_source") : null;
    if (source != null) {
      source.declareKnown(List.of("estimator"));
    }
    if (perMinute == null) {
      return false;
    }
    String bucket =
        "{rate: "
            + plain(perMinute)
            + "/min, burst: "
            + plain(burst == null ? perMinute : burst)
            + "}";
    rule.set(
        "limits",
        perDay == null
            ? "[" + bucket + "]"
            : "["
                + bucket
                + ", {algorithm: fixed_window, limit: "
                + plain(perDay)
                + ", window: 1d}]");
    rule.comment(
            "The cost is the header that states an estimate; without it, that of a completion.")
        .set("cost_source", "header:x-token-estimate")
        .set("default_cost", completion == null ? "1000" : plain(completion));
    policy.missing(
        config.at(), "the estimate of tokens from the prompt; x-token-estimate has to state it");
    return true;
  }

  private static void cost(Fields config, String field, RuleText rule) {
    String source = config.given(field) ? config.text(field) : "fixed";
    BigDecimal fixed = optional(config, "fixed_cost");
    BigDecimal otherwise = optional(config, "default_cost");
    if (source == null || source.equals("fixed")) {
      if (fixed != null && fixed.compareTo(BigDecimal.ONE) != 0) {
        rule.set("fixed_cost", plain(fixed));
      }
      return;
    }
    rule.set("cost_source", PolicyText.quote(source));
    if (otherwise != null) {
      rule.set("default_cost", plain(otherwise));
    }
  }

  /** Returns the name, or another one if a rule has it already. */
  private String unique(String name, Location at) {
    if (names.add(name)) {
      return name;
    }
    String other = name;
    for (int i = 2; !names.add(other); i++) {
      other = name + " " + i;
    }
    policy.missing(at, "a bucket shared with the other rule of the same name: " + name);
    return other;
  }

  /** Escapes what has a meaning in patterns. */
  private static String literalPath(String path) {
    StringBuilder literal = new StringBuilder();
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if ("*{}()[]|\\^$+<>\"' ".indexOf(c) >= 0) {
        literal.append('%').append(String.format("%02X", (int) c));
      } else {
        literal.append(c);
      }
    }
    return literal.toString();
  }

  private static String yaml(Map<String, String> match) {
    List<String> entries = new ArrayList<>();
    match.forEach((name, value) -> entries.add(name + ": " + value));
    return "{" + String.join(", ", entries) + "}";
  }

  private void reportOthers(Fields fields, String where) {
    List<String> others = fields.names().stream().filter(name -> !fields.isKnown(name)).toList();
    others.forEach(name -> policy.missing(at(fields, name), where + name));
    fields.declareKnown(others);
  }

  private static Location at(Fields fields, String name) {
    Located<Node> located = fields.located(name);
    return located == null ? fields.at() : located.at();
  }

  private List<Fields> items(Fields fields, String name) {
    List<Fields> mappings = new ArrayList<>();
    for (Located<Node> item : list(fields, name)) {
      Fields mapping = Fields.of(item, problems);
      if (mapping != null) {
        mappings.add(mapping);
      }
    }
    return mappings;
  }

  private static List<String> texts(Fields fields, String name) {
    List<String> texts = new ArrayList<>();
    for (Located<Node> item : list(fields, name)) {
      if (item.value() instanceof Node.Scalar scalar) {
        texts.add(scalar.text());
      } else {
        fields.error(name, "must be a list of texts");
      }
    }
    return texts;
  }

  private static List<Located<Node>> list(Fields fields, String name) {
    List<Located<Node>> items = fields.given(name) ? fields.list(name) : null;
    return items == null ? List.of() : items;
  }

  private static @Nullable BigDecimal optional(Fields fields, String name) {
    return fields.given(name) ? fields.number(name) : null;
  }

  private static String plain(BigDecimal number) {
    return number.stripTrailingZeros().toPlainString();
  }
}
