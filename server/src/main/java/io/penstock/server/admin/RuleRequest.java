package io.penstock.server.admin;

import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.server.database.RuleDraft;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Readers for the request bodies that change rules. */
final class RuleRequest {
  private static final int MAX_RULES = 100_000;
  private static final int ORDER_STEP = 10;

  private RuleRequest() {}

  /**
   * A change of one rule.
   *
   * @param version the version that the client has seen; null for a new rule
   */
  record RuleUpdate(RuleDraft draft, @Nullable Long version) {}

  /**
   * A set of rules.
   *
   * @param alone whether to delete all other active rules
   */
  record RuleSetUpdate(List<RuleDraft> drafts, boolean alone) {}

  static @Nullable RuleUpdate readNew(Node document, Problems problems) {
    return read(document, problems, false);
  }

  static @Nullable RuleUpdate readChanged(Node document, Problems problems) {
    return read(document, problems, true);
  }

  private static @Nullable RuleUpdate read(Node document, Problems problems, boolean versioned) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null) {
      return null;
    }
    fields.require("rule");
    Located<Node> rule = fields.located("rule");
    Integer order = order(fields);
    boolean active = !fields.given("active") || fields.flag("active");
    Long version = null;
    if (versioned && fields.require("version")) {
      version = fields.number("version", RuleRequest::version);
    }
    fields.done();
    return rule == null ? null : new RuleUpdate(new RuleDraft(rule, order, active), version);
  }

  private static long version(BigDecimal number) {
    try {
      return number.longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "must be a whole number, the version of a rule: " + number, e);
    }
  }

  private static @Nullable Integer order(Fields fields) {
    return fields.given("tier_order")
        ? Integer.valueOf(fields.whole("tier_order", -1_000_000_000, 1_000_000_000, 0))
        : null;
  }

  /** Reads a list of rules as in a policy file; the order of tiers is that of the list. */
  static @Nullable RuleSetUpdate readMany(Node document, Problems problems) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null || !fields.require("rules")) {
      return null;
    }
    List<Located<Node>> items = fields.list("rules");
    boolean alone = fields.flag("alone");
    fields.done();
    if (items == null) {
      return null;
    }
    if (items.size() > MAX_RULES) {
      fields.error("rules", "must have at most " + MAX_RULES + " items: " + items.size());
      return null;
    }
    List<RuleDraft> drafts = new ArrayList<>(items.size());
    for (Located<Node> item : items) {
      drafts.add(new RuleDraft(item, ORDER_STEP * (drafts.size() + 1), true));
    }
    return new RuleSetUpdate(drafts, alone);
  }
}
