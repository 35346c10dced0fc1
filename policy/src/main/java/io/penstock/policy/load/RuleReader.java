package io.penstock.policy.load;

import io.penstock.FailurePolicy;
import io.penstock.policy.AttributeMap;
import io.penstock.policy.Mode;
import io.penstock.policy.Rule;
import io.penstock.policy.load.RuleFields.OnLimit;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a rule: the fields of {@link RuleFields}, and the constraints between them. Not
 * thread-safe.
 */
public final class RuleReader {
  private final Problems problems;
  private final String prefix;
  private final AttributeMap attributes;
  private final @Nullable AttributeCheck check;

  /**
   * @param prefix the prefix of rule names
   * @param attributes the names that the policy declares
   * @param check null if the attributes are checked later
   */
  RuleReader(
      String prefix, AttributeMap attributes, @Nullable AttributeCheck check, Problems problems) {
    this.prefix = prefix;
    this.attributes = attributes;
    this.check = check;
    this.problems = problems;
  }

  /**
   * Reads a rule that is not in a file, such as a row of a table, in the same way as one in a file.
   * Reports errors and returns null if it can't be used. {@link MergedPolicy} checks its
   * attributes, because they depend on the policy that the rule becomes a part of.
   */
  public static @Nullable Located<Rule> read(Located<Node> rule, Problems problems) {
    PlaceholderCheck.check(rule.value(), rule.path(), problems);
    return new RuleReader("", AttributeMap.NONE, null, problems).read(rule);
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
    int before = problems.errorCount();
    fields.declareKnown(extraFields);
    fields.declareKnown(RuleFields.NAMES);
    Rule.Builder builder = read(fields);
    if (check != null) {
      check.check(fields);
    }
    fields.done();
    if (problems.errorCount() > before) {
      return null;
    }
    Rule rule = builder.build().under(attributes);
    RuleWarnings.check(rule, fields);
    return new Located<>(rule, node.at(), node.path());
  }

  private Rule.Builder read(Fields fields) {
    Rule.Builder rule = Rule.builder("");
    if (fields.require("name")) {
      fields.text("name", written -> rule.name(name(written)));
    }
    if (!fields.has("limit_keys")) {
      fields.error("limit_keys", "is required; [] is one bucket for all requests");
    }
    for (RuleField field : RuleFields.ALL) {
      field.read(fields, rule);
    }
    LimitsReader.RuleLimits limits = new LimitsReader(fields).read();
    rule.limits(limits.all()).cost(limits.cost()).maxDelay(maxDelay(fields, limits.isLeaky()));
    if (!limits.hasOnlyTokenBuckets()) {
      rejectBucketValues(fields);
    }
    rejectConflicts(fields);
    return rule;
  }

  private String name(String written) {
    Names.checked(written);
    return Names.checked(prefix + written);
  }

  private static Duration maxDelay(Fields fields, boolean isLeaky) {
    OnLimit onLimit =
        fields.choice("on_limit", RuleFields.ON_LIMIT, isLeaky ? OnLimit.DELAY : OnLimit.REJECT);
    if (onLimit == OnLimit.REJECT) {
      if (isLeaky) {
        fields.error("on_limit", "must be delay for a leaky_bucket, or be omitted");
      }
      fields.reject("max_delay_ms", "needs on_limit: delay");
      return Duration.ZERO;
    }
    return Duration.ofMillis(
        fields.whole(
            "max_delay_ms", 1, RuleFields.MAX_DELAY_MILLIS, RuleFields.DEFAULT_DELAY_MILLIS));
  }

  private static void rejectBucketValues(Fields fields) {
    for (RuleField field : RuleFields.ALL) {
      RuleField.BucketValue only = field.bucketValue();
      if (only != null && hasValue(fields, field.name(), only.value())) {
        fields.error(field.name(), only.message());
      }
    }
  }

  private static void rejectConflicts(Fields fields) {
    for (Mode mode : List.of(Mode.SHADOW, Mode.OFF)) {
      if (hasValue(fields, "mode", mode.code())) {
        fields.reject("enforce_percent", "can't be combined with mode: " + mode.code());
      }
    }
    for (FailurePolicy policy : List.of(FailurePolicy.OPEN, FailurePolicy.CLOSED)) {
      if (hasValue(fields, "on_store_failure", policy.name())) {
        fields.reject("share", "needs on_store_failure: local");
      }
    }
    if (hasValue(fields, "manual", "true")) {
      fields.reject("group", "can't be combined with manual: true");
    }
  }

  private static boolean hasValue(Fields fields, String name, String value) {
    return fields.node(name) instanceof Node.Scalar scalar && scalar.text().equalsIgnoreCase(value);
  }
}
