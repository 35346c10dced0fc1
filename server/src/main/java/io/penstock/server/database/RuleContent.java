package io.penstock.server.database;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The content of a row of {@code rate_limit_rule}, without the columns that the database sets.
 * Immutable; contents with the same meaning are equal.
 *
 * @param match JSON in the form of {@link JsonColumns#canonicalMatch}
 * @param options JSON in the form of {@link JsonColumns#canonical}
 */
record RuleContent(
    String name,
    @Nullable String description,
    String keyPattern,
    String scope,
    @Nullable String plan,
    String match,
    @Nullable BigDecimal ratePerSecond,
    @Nullable String rate,
    @Nullable BigDecimal burstCapacity,
    Costs costs,
    String mode,
    String onStoreFailure,
    TierColumns tier,
    String options,
    boolean active) {

  /** The cost of a request. */
  record Costs(
      @Nullable String source, @Nullable BigDecimal fixed, @Nullable BigDecimal defaultCost) {
    static final Costs ONE = new Costs(null, null, null);

    Costs {
      fixed = plain(fixed);
      defaultCost = plain(defaultCost);
    }
  }

  /** The position of a rule among its tiers. */
  record TierColumns(int order, @Nullable String group) {}

  RuleContent {
    ratePerSecond = plain(ratePerSecond);
    burstCapacity = plain(burstCapacity);
    description = description != null && description.isEmpty() ? null : description;
  }

  /** Normalizes a number, so that 10 and 10.000 are equal. */
  private static @Nullable BigDecimal plain(@Nullable BigDecimal number) {
    return number == null ? null : new BigDecimal(JsonColumns.plain(number));
  }

  /** Returns a copy with another tier order. */
  RuleContent at(int order) {
    return new RuleContent(
        name,
        description,
        keyPattern,
        scope,
        plan,
        match,
        ratePerSecond,
        rate,
        burstCapacity,
        costs,
        mode,
        onStoreFailure,
        new TierColumns(order, tier.group()),
        options,
        active);
  }
}
