package io.penstock.policy.load;

import io.penstock.policy.Rule;
import java.util.Comparator;

/**
 * A rule that is in no file, and where it stands among others that aren't. Immutable.
 *
 * @param id its own, whatever it is called
 * @param order those with less come first
 * @param last whether it comes after others of the same order
 */
public record OrderedRule(Located<Rule> rule, long id, int order, boolean last) {
  static final Comparator<OrderedRule> IN_ORDER =
      Comparator.comparingInt(OrderedRule::order)
          .thenComparing(OrderedRule::last)
          .thenComparingLong(OrderedRule::id);
}
