package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.Cost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the cost of a request. */
final class CostReader {
  static final List<String> FIELDS =
      List.of("cost_source", "fixed_cost", "default_cost", "min_cost");

  private static final long ONE = 1_000;
  private static final String FIXED = "fixed";

  private CostReader() {}

  /**
   * @param lenient whether fields for the other kind of cost are ignored instead of rejected
   */
  static Cost read(Fields fields, boolean lenient) {
    String written = fields.text("cost_source");
    Attribute source = written == null || written.equals(FIXED) ? null : source(fields);
    boolean fixed = written == null || written.equals(FIXED);
    long fixedCost = cost(fields, "fixed_cost", ONE);
    long defaultCost = cost(fields, "default_cost", ONE);
    if (fixed) {
      if (!lenient) {
        fields.reject("default_cost", "needs a cost_source; for a fixed cost use fixed_cost");
        fields.reject("min_cost", "needs a cost_source; for a fixed cost use fixed_cost");
      }
      cost(fields, "min_cost", ONE);
      return Cost.fixed(fixedCost);
    }
    if (!lenient) {
      fields.reject("fixed_cost", "can't be combined with a cost_source; use default_cost");
    }
    long minCost = cost(fields, "min_cost", Math.min(ONE, defaultCost));
    if (minCost > defaultCost) {
      fields.error("min_cost", "must be at most default_cost");
    }
    return new Cost(source, defaultCost, minCost);
  }

  private static @Nullable Attribute source(Fields fields) {
    return fields.text(
        "cost_source",
        text -> {
          Attribute attribute = Attribute.parse(text);
          return switch (attribute.source()) {
            case HEADER, QUERY, STATED -> attribute;
            default ->
                throw new IllegalArgumentException(
                    "must be fixed, header:<name>, query:<name> or a bare name: " + text);
          };
        });
  }

  private static long cost(Fields fields, String name, long defaultValue) {
    Long cost = fields.number(name, Decimals::cost);
    return cost == null ? defaultValue : cost;
  }
}
