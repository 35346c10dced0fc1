package io.penstock.policy.load;

import io.penstock.Consistency;
import io.penstock.FailurePolicy;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import io.penstock.policy.MissingKey;
import io.penstock.policy.Mode;
import io.penstock.policy.RepeatedKey;
import io.penstock.policy.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a rule. */
final class RuleReader {
  static final Map<String, Mode> MODES = EnumFields.of(Mode.values(), Mode::code);

  private static final Map<String, MissingKey> MISSING_KEYS =
      EnumFields.of(MissingKey.values(), MissingKey::code);
  private static final Map<String, RepeatedKey> REPEATED_KEYS =
      EnumFields.of(RepeatedKey.values(), RepeatedKey::code);
  private static final Map<String, OnLimit> ON_LIMIT = EnumFields.of(OnLimit.values());
  private static final Map<String, FailurePolicy> FAILURE_POLICIES =
      EnumFields.of(FailurePolicy.values());
  private static final Map<String, Consistency> CONSISTENCIES = EnumFields.of(Consistency.values());
  private static final String REFUND = "refund_on_upstream_error";
  private static final int DEFAULT_DELAY_MILLIS = 1_000;
  private static final int MAX_DELAY_MILLIS = 600_000;

  private enum OnLimit {
    REJECT,
    DELAY
  }

  private final Problems problems;
  private final String prefix;

  /**
   * @param prefix the prefix of rule names
   */
  RuleReader(String prefix, Problems problems) {
    this.prefix = prefix;
    this.problems = problems;
  }

  /** Returns the rule; null if it has errors. */
  @Nullable Located<Rule> read(Located<Node> node) {
    return read(node, List.of());
  }

  /** Reads a rule that is a document by itself. */
  @Nullable Located<Rule> readBare(Located<Node> node) {
    return read(node, PolicyDraft.EDITOR_FIELDS);
  }

  private @Nullable Located<Rule> read(Located<Node> node, List<String> extraFields) {
    Fields fields = Fields.of(node, problems);
    if (fields == null) {
      return null;
    }
    fields.declareKnown(extraFields);
    int before = problems.errorCount();
    Rule rule = rule(fields);
    fields.done();
    if (rule == null || problems.errorCount() > before) {
      return null;
    }
    RuleWarnings.check(rule, fields);
    return new Located<>(rule, node.at(), node.path());
  }

  private @Nullable Rule rule(Fields fields) {
    fields.declareKnown(LimitsReader.FIELDS);
    fields.declareKnown(LimitReader.SHORT_FIELDS);
    fields.declareKnown(CostReader.FIELDS);
    String name = fields.require("name") ? fields.text("name", this::name) : null;
    String description = fields.text("description");
    LimitsReader.RuleLimits limits = new LimitsReader(fields, problems).read();
    try {
      return new Rule(
          name == null ? "" : name,
          description == null ? "" : description,
          KeysReader.read(fields, problems),
          MatchReader.read(fields, problems),
          fields.text("group", Names::checked),
          fields.choice("on_missing_key", MISSING_KEYS),
          fields.choice("on_repeated_key", REPEATED_KEYS, RepeatedKey.DENY),
          limits.all(),
          limits.cost(),
          maxDelay(fields, limits),
          storeOptions(fields, limits),
          refunds(fields, limits),
          rollout(fields),
          fields.text("scope", Names::checked));
    } catch (IllegalArgumentException e) {
      problems.error(fields.at(), fields.path("name"), String.valueOf(e.getMessage()));
      return null;
    }
  }

  private String name(String written) {
    Names.checked(written);
    return Names.checked(prefix + written);
  }

  private static Duration maxDelay(Fields fields, LimitsReader.RuleLimits limits) {
    OnLimit onLimit =
        fields.choice("on_limit", ON_LIMIT, limits.isLeaky() ? OnLimit.DELAY : OnLimit.REJECT);
    if (onLimit == OnLimit.REJECT) {
      if (limits.isLeaky()) {
        fields.error("on_limit", "must be delay for a leaky_bucket, or be omitted");
      }
      fields.reject("max_delay_ms", "needs on_limit: delay");
      return Duration.ZERO;
    }
    int millis = fields.whole("max_delay_ms", 1, MAX_DELAY_MILLIS, DEFAULT_DELAY_MILLIS);
    if (!hasOnlyTokenBuckets(limits)) {
      fields.error("on_limit", "delay needs token buckets; a window can only reject");
      return Duration.ZERO;
    }
    return Duration.ofMillis(millis);
  }

  private static StoreOptions storeOptions(Fields fields, LimitsReader.RuleLimits limits) {
    Consistency consistency =
        fields.choice("consistency", CONSISTENCIES, StoreOptions.DEFAULT.consistency());
    if (consistency == Consistency.LEASED && !hasOnlyTokenBuckets(limits)) {
      fields.error("consistency", "leased needs token buckets; a window can't be leased");
    }
    return new StoreOptions(
        fields.choice("on_store_failure", FAILURE_POLICIES, StoreOptions.DEFAULT.onFailure()),
        consistency);
  }

  private static boolean refunds(Fields fields, LimitsReader.RuleLimits limits) {
    boolean refunds = fields.flag(REFUND);
    if (refunds && !hasOnlyTokenBuckets(limits)) {
      fields.error(REFUND, "needs token buckets; windows don't support refunds");
      return false;
    }
    return refunds;
  }

  private static boolean hasOnlyTokenBuckets(LimitsReader.RuleLimits limits) {
    return limits.all().stream().allMatch(TokenBucket.class::isInstance);
  }

  private static Rule.Rollout rollout(Fields fields) {
    Mode mode = fields.choice("mode", MODES, Mode.ENFORCE);
    if (mode != Mode.ENFORCE) {
      fields.reject("enforce_percent", "can't be combined with mode: " + mode.code());
    }
    boolean manual = fields.flag("manual");
    if (manual) {
      fields.reject("group", "can't be combined with manual: true");
    }
    return new Rule.Rollout(mode, fields.whole("enforce_percent", 0, 100, 100), manual);
  }
}
