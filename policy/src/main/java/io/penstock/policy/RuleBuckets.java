package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Store;
import io.penstock.TokenBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The buckets of one key of a rule, for administration. Thread-safe.
 *
 * <p>All tiers of a group share their buckets, so changes affect all of them. A rule with several
 * limits has one bucket for each limit.
 */
public final class RuleBuckets {
  private final Store store;
  private final Rule rule;
  private final String key;
  private final List<Claim> claims;

  RuleBuckets(Store store, Tier tier, String key) {
    this.store = store;
    this.key = key;
    Tier effective = tier.of(key);
    this.rule = effective.rule();
    List<Claim> peeks = new ArrayList<>();
    effective.claim(key, 0, effective.mode(key), peeks);
    this.claims = List.copyOf(peeks);
  }

  /** Returns the rule; if its limits are overridden for the key, with that limit. */
  public Rule rule() {
    return rule;
  }

  /** Returns the key as in {@link Outcome#key}. */
  public String key() {
    return key;
  }

  /** Returns the state of the buckets in the order of the rule's limits. Changes nothing. */
  public CompletionStage<List<Decision>> peek() {
    return store.peekAsync(claims).thenApply(Decision::results);
  }

  /** Refills the buckets completely. */
  public CompletionStage<Void> reset() {
    return each(claim -> claim.buckets().reset(claim.key()));
  }

  /**
   * Adds tokens to the buckets, up to the burst.
   *
   * @throws IllegalArgumentException if a limit of the rule is a window, which has no tokens
   */
  public CompletionStage<Void> grant(long thousandths) {
    requireTokenBuckets("can be granted");
    return each(claim -> claim.buckets().refund(claim.key(), thousandths));
  }

  /**
   * Takes tokens from the buckets even if they are not available, down to one burst below empty.
   *
   * @throws IllegalArgumentException if a limit of the rule is a window, which has no debt
   */
  public CompletionStage<Void> charge(long thousandths) {
    requireTokenBuckets("can be charged");
    return each(claim -> claim.buckets().charge(claim.key(), thousandths));
  }

  private void requireTokenBuckets(String what) {
    if (!rule.limits().stream().allMatch(TokenBucket.class::isInstance)) {
      throw new IllegalArgumentException(
          "only token buckets "
              + what
              + " tokens, and a limit of this rule is a window: "
              + rule.name());
    }
  }

  private CompletionStage<Void> each(BucketChange change) {
    return CompletableFuture.allOf(
        claims.stream()
            .map(claim -> change.of(claim).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  /** A change to one bucket. */
  private interface BucketChange {
    CompletionStage<Void> of(Claim claim);
  }
}
