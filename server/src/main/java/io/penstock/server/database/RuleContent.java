package io.penstock.server.database;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What a row of {@code rate_limit_rule} says, but for what the database adds itself. Immutable; two
 * that say the same are equal.
 *
 * @param match JSON, as {@link JsonTree#canonicalMatch} has it
 * @param options JSON, as {@link JsonTree#canonical} has it
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

  /** What a request costs. */
  record Costs(
      @Nullable String source, @Nullable BigDecimal fixed, @Nullable BigDecimal otherwise) {
    static final Costs ONE = new Costs(null, null, null);

    Costs {
      fixed = plain(fixed);
      otherwise = plain(otherwise);
    }
  }

  /** Where it stands among others. */
  record TierColumns(int order, @Nullable String group) {}

  RuleContent {
    ratePerSecond = plain(ratePerSecond);
    burstCapacity = plain(burstCapacity);
    description = description != null && description.isEmpty() ? null : description;
  }

  /** 10 and 10.000 are equal. */
  private static @Nullable BigDecimal plain(@Nullable BigDecimal number) {
    return number == null ? null : new BigDecimal(JsonColumns.plain(number));
  }

  /** The same in another place among others. */
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
