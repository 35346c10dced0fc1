package io.penstock.policy.load;

import io.penstock.Limit;
import io.penstock.TokenBucket;
import io.penstock.policy.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the limits of a rule in any of their forms. */
final class LimitsReader {
  private static final int MAX_LIMITS = 10;
  private static final long ONE = 1_000;

  private static final Map<String, String> UNITS =
      Map.of(
          "s", "s", "second", "s", "m", "min", "min", "min", "minute", "min", "h", "h", "hour", "h",
          "d", "d", "day", "d");

  /**
   * The limits of a rule. Immutable.
   *
   * @param isLeaky whether requests over the limit are delayed by default
   */
  record RuleLimits(List<Limit> all, Cost cost, boolean isLeaky) {
    boolean hasOnlyTokenBuckets() {
      return all.stream().allMatch(TokenBucket.class::isInstance);
    }
  }

  private final Fields rule;

  LimitsReader(Fields rule) {
    this.rule = rule;
  }

  RuleLimits read() {
    if (rule.flag("unlimited")) {
      return unlimited();
    }
    if (rule.has("algorithm_config")) {
      return longForm();
    }
    return rule.has("limits") ? several() : shortForm();
  }

  private RuleLimits unlimited() {
    for (RuleField field : RuleFields.ALL) {
      if (field.needsLimit() && !field.name().equals("unlimited")) {
        rule.reject(field.name(), "can't be combined with unlimited: true");
      }
    }
    return new RuleLimits(List.of(), Cost.ONE, false);
  }

  private RuleLimits longForm() {
    String reason = "can't be combined with algorithm_config; set the whole limit there";
    rejectAll(LimitReader.SHORT_FIELDS, reason);
    rejectAll(CostReader.FIELDS, reason);
    rejectAll(List.of("limits"), reason);
    Algorithm algorithm = algorithm(rule);
    Fields config = rule.mapping("algorithm_config");
    if (config == null) {
      return new RuleLimits(List.of(), Cost.ONE, false);
    }
    config.declareKnown(List.of("tokens_per_second", "rps", "burst", "limit", "window"));
    Cost cost = CostReader.read(config, true);
    RuleLimits limits = one(LimitReader.longForm(config), config, algorithm, cost);
    config.done();
    return limits;
  }

  private RuleLimits shortForm() {
    Cost cost = CostReader.read(rule, false);
    String unit = rule.names().contains("per") ? rule.text("per") : null;
    if (unit != null) {
      rule.reject("per", "must be a part of the rate: " + rateWith(unit));
      rule.declareKnown(LimitReader.SHORT_FIELDS);
      return new RuleLimits(List.of(), cost, false);
    }
    if (!rule.has("rate") && !rule.has("limit") && !rule.has("algorithm")) {
      rule.error("rate", "is required, or limits, algorithm_config or unlimited: true");
      return new RuleLimits(List.of(), cost, false);
    }
    return one(LimitReader.shortForm(rule), rule, algorithm(rule), cost);
  }

  /** Returns the rate that {@code limit} or {@code rate} and {@code per} were meant to be. */
  private String rateWith(String unit) {
    String name = rule.has("limit") ? "limit" : "rate";
    String amount = rule.node(name) instanceof Node.Scalar number ? number.text() : "5";
    return "rate: " + amount + "/" + UNITS.getOrDefault(unit, "s");
  }

  private RuleLimits several() {
    String reason = "can't be combined with limits; set it in each of them";
    rejectAll(LimitReader.SHORT_FIELDS, reason);
    rejectAll(List.of("algorithm"), reason);
    Cost cost = CostReader.read(rule, false);
    List<Located<Node>> items = rule.list("limits");
    List<Limit> limits = new ArrayList<>();
    if (items == null) {
      return new RuleLimits(limits, cost, false);
    }
    if (items.isEmpty() || items.size() > MAX_LIMITS) {
      rule.error("limits", "must have 1 to " + MAX_LIMITS + " limits: " + items.size());
    }
    for (Located<Node> item : items) {
      Fields fields = Fields.of(item, rule.problems());
      if (fields != null) {
        addTo(limits, fields, cost);
      }
    }
    return new RuleLimits(limits, cost, false);
  }

  private void addTo(List<Limit> limits, Fields fields, Cost cost) {
    Algorithm algorithm = algorithm(fields);
    if (algorithm == Algorithm.LEAKY_BUCKET) {
      fields.error("algorithm", "leaky_bucket can't be one of several limits");
    }
    fields.declareKnown(LimitReader.SHORT_FIELDS);
    limits.addAll(one(LimitReader.shortForm(fields), fields, algorithm, cost).all());
    fields.done();
  }

  private static Algorithm algorithm(Fields fields) {
    return fields.choice("algorithm", Algorithm.CHOICES, Algorithm.TOKEN_BUCKET);
  }

  private static RuleLimits one(LimitReader reader, Fields fields, Algorithm algorithm, Cost cost) {
    boolean isLeaky = algorithm == Algorithm.LEAKY_BUCKET;
    @Nullable Limit limit = reader.read(algorithm, Math.max(ONE, cost.fallbackThousandths()));
    if (limit == null) {
      return new RuleLimits(List.of(), cost, isLeaky);
    }
    if (cost.fallbackThousandths() > limit.burstThousandths()) {
      String name = algorithm.window() == null ? "burst" : "limit";
      fields.warning(
          name, "is less than the cost of a request, so none can pass: " + limit.burst());
    }
    return new RuleLimits(List.of(limit), cost, isLeaky);
  }

  private void rejectAll(List<String> names, String reason) {
    names.forEach(name -> rule.reject(name, reason));
  }
}
