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
 * The buckets of one key of a rule, for people who look after them. Thread-safe.
 *
 * <p>Rules that are tiers of one group share their buckets: what is done here is done for all of
 * them. A rule with several limits has a bucket for each.
 */
public final class RuleBuckets {
  private final Store store;
  private final Rule rule;
  private final String key;
  private final List<Claim> claims;

  RuleBuckets(Store store, Tier tier, Request request, Selection selection) {
    this.store = store;
    this.rule = tier.rule();
    this.key = selection.key(tier.rule(), request);
    List<Claim> peeks = new ArrayList<>();
    tier.claim(key, 0, tier.mode(key), peeks);
    this.claims = List.copyOf(peeks);
  }

  public Rule rule() {
    return rule;
  }

  /** As in {@link Outcome#key}. */
  public String key() {
    return key;
  }

  /** How they stand, in the order of the rule's limits. Changes nothing. */
  public CompletionStage<List<Decision>> peek() {
    return store.preview(claims).thenApply(Decision::results);
  }

  /** Makes them full. */
  public CompletionStage<Void> reset() {
    return each(claim -> claim.buckets().reset(claim.key()));
  }

  /**
   * Puts tokens back, never above full.
   *
   * @throws IllegalArgumentException if a limit of the rule is a window, which has no tokens
   */
  public CompletionStage<Void> grant(long thousandths) {
    if (!rule.limits().stream().allMatch(TokenBucket.class::isInstance)) {
      throw new IllegalArgumentException(
          "only token buckets can be granted tokens, and a limit of this rule is a window: "
              + rule.name());
    }
    return each(claim -> claim.buckets().refund(claim.key(), thousandths));
  }

  private CompletionStage<Void> each(Change change) {
    return CompletableFuture.allOf(
        claims.stream()
            .map(claim -> change.of(claim).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  /** What is done to one bucket. */
  private interface Change {
    CompletionStage<Void> of(Claim claim);
  }
}
