package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.TokenBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Refunds the charges of requests that were allowed but not carried out. Thread-safe. */
final class ChargeRefunds {
  private final CompiledPolicy policy;

  ChargeRefunds(CompiledPolicy policy) {
    this.policy = policy;
  }

  CompletionStage<Void> of(Verdict verdict, Predicate<Rule> which) {
    List<Claim> charged = new ArrayList<>();
    if (verdict.allowed()) {
      for (Outcome outcome : verdict.outcomes()) {
        if (which.test(outcome.rule())) {
          addCharged(outcome, charged);
        }
      }
    }
    return CompletableFuture.allOf(
        charged.stream().map(ChargeRefunds::refund).toArray(CompletableFuture<?>[]::new));
  }

  private void addCharged(Outcome outcome, List<Claim> charged) {
    if (!outcome.decision().allowed() || outcome.decision().degraded()) {
      return;
    }
    policy
        .tier(outcome.rule().name())
        .filter(tier -> tier.rule().equals(outcome.rule()))
        .ifPresent(
            tier -> tier.claim(outcome.key(), outcome.cost(), tier.mode(outcome.key()), charged));
    charged.removeIf(claim -> !(claim.limiter().limit() instanceof TokenBucket));
  }

  private static CompletableFuture<Void> refund(Claim claim) {
    return claim.buckets().refund(claim.key(), claim.cost()).toCompletableFuture();
  }
}
