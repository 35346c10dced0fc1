package io.penstock.server.database;

import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.IpAddress;
import java.time.Instant;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Selects violations; null matches any value. Immutable.
 *
 * @param address an address or a network
 * @param key the key as in {@link Violation#bucketKey}
 * @param from the start, inclusive
 * @param to the end, exclusive
 * @param isShadow whether to select what shadow rules would have denied, instead of denials
 */
public record ViolationFilter(
    @Nullable String user,
    @Nullable String address,
    @Nullable String rule,
    @Nullable String key,
    @Nullable String endpoint,
    @Nullable Instant from,
    @Nullable Instant to,
    boolean isShadow) {
  /** Selects denials of enforced rules. */
  public ViolationFilter(
      @Nullable String user,
      @Nullable String address,
      @Nullable String rule,
      @Nullable String endpoint,
      @Nullable Instant from,
      @Nullable Instant to) {
    this(user, address, rule, null, endpoint, from, to, false);
  }

  /** Returns this filter for another period. */
  ViolationFilter within(Instant start, Instant end) {
    return new ViolationFilter(user, address, rule, key, endpoint, start, end, isShadow);
  }

  /** Returns a test for violations in memory. */
  Predicate<Violation> predicate() {
    Cidr network = address == null ? null : Cidr.parse(address);
    return violation ->
        isShadow == violation.reason().equals(Violation.SHADOW)
            && matches(user, violation.userId())
            && matches(rule, violation.rule())
            && matches(key, violation.bucketKey())
            && matches(endpoint, violation.endpoint())
            && (address == null || (network != null && contains(network, violation.address())))
            && (from == null || !violation.requestedAt().isBefore(from))
            && (to == null || violation.requestedAt().isBefore(to));
  }

  private static boolean matches(@Nullable String wanted, @Nullable String value) {
    return wanted == null || wanted.equals(value);
  }

  private static boolean contains(Cidr network, @Nullable String text) {
    IpAddress address = text == null ? null : IpAddress.parse(text);
    return address != null && network.contains(address);
  }
}
