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

/** What those who change rules send. */
final class RuleRequest {
  private static final int MAX_RULES = 100_000;
  private static final int STEP = 10;

  private RuleRequest() {}

  /**
   * One rule.
   *
   * @param version the one that was seen; null if it is new
   */
  record One(RuleDraft draft, @Nullable Long version) {}

  /**
   * Some rules.
   *
   * @param alone whether there are to be no others
   */
  record Many(List<RuleDraft> drafts, boolean alone) {}

  static @Nullable One readNew(Node document, Problems problems) {
    return read(document, problems, false);
  }

  static @Nullable One readChanged(Node document, Problems problems) {
    return read(document, problems, true);
  }

  private static @Nullable One read(Node document, Problems problems, boolean versioned) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null) {
      return null;
    }
    fields.require("rule");
    Located<Node> rule = fields.placed("rule");
    Integer order = order(fields);
    boolean active = !fields.given("active") || fields.flag("active");
    Long version = null;
    if (versioned && fields.require("version")) {
      version = fields.number("version", RuleRequest::version);
    }
    fields.done();
    return rule == null ? null : new One(new RuleDraft(rule, order, active), version);
  }

  private static long version(BigDecimal number) {
    try {
      return number.longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("must be a version that a rule had: " + number, e);
    }
  }

  private static @Nullable Integer order(Fields fields) {
    return fields.given("tier_order")
        ? Integer.valueOf(fields.whole("tier_order", -1_000_000_000, 1_000_000_000, 0))
        : null;
  }

  /** Rules as a policy file has them, in their order. */
  static @Nullable Many readMany(Node document, Problems problems) {
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
      drafts.add(new RuleDraft(item, STEP * (drafts.size() + 1), true));
    }
    return new Many(drafts, alone);
  }
}
