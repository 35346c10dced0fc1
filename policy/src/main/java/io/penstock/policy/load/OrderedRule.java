package io.penstock.policy.load;

import io.penstock.policy.Rule;
import java.util.Comparator;

/**
 * A rule from the database and its order among the others. Immutable.
 *
 * @param id identifies the rule, regardless of its name
 * @param order lower values come first
 * @param last whether the rule comes after others of the same order
 */
public record OrderedRule(Located<Rule> rule, long id, int order, boolean last) {
  static final Comparator<OrderedRule> IN_ORDER =
      Comparator.comparingInt(OrderedRule::order)
          .thenComparing(OrderedRule::last)
          .thenComparingLong(OrderedRule::id);
}
