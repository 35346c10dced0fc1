package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Decides the rules of a selection together, in shadow mode or not: one operation of the store
 * charges all of them or none. If only shadow rules deny, the others are decided again without
 * them. Used by one request.
 */
final class JointDecision {
  private final Store store;
  private final Selection selection;

  JointDecision(Store store, Selection selection) {
    this.store = store;
    this.selection = selection;
  }

  Verdict decide() {
    List<Claim> claims = selection.isDeniedWithoutStore() ? List.of() : openClaims();
    while (!claims.isEmpty()) {
      List<Decision> results = new ArrayList<>(claims.size());
      boolean unused = store.take(claims, results);
      claims = isDecided(results) ? List.of() : openClaims();
    }
    return selection.verdict();
  }

  /**
   * Like {@link #decide}, without blocking.
   *
   * @param deadlineNanos when a decision without the shadow rules that deny is no longer waited for
   */
  CompletionStage<Verdict> decideAsync(long deadlineNanos) {
    List<Claim> claims = selection.isDeniedWithoutStore() ? List.of() : openClaims();
    return claims.isEmpty()
        ? CompletableFuture.completedFuture(selection.verdict())
        : decideAsync(store.takeAsync(claims), deadlineNanos);
  }

  private CompletionStage<Verdict> decideAsync(
      CompletionStage<Decision> pending, long deadlineNanos) {
    return pending.thenCompose(
        decision ->
            isDecided(decision.results())
                ? CompletableFuture.completedFuture(selection.verdict())
                : decideAsync(within(deadlineNanos, store.takeAsync(openClaims())), deadlineNanos));
  }

  /**
   * Returns the decision of the store if it is in time, and otherwise what the store has decided
   * about the same rules together with others. It charges the rules in either case.
   */
  private CompletionStage<Decision> within(long deadlineNanos, CompletionStage<Decision> pending) {
    CompletableFuture<Decision> result = pending.toCompletableFuture();
    if (result.isDone()) {
      return result;
    }
    List<Decision> before = new ArrayList<>();
    for (int i = 0; i < selection.size(); i++) {
      if (isOpen(i)) {
        before.addAll(selection.get(i).withdrawn().results());
      }
    }
    return result
        .copy()
        .completeOnTimeout(
            Decision.all(before.toArray(Decision[]::new)),
            Math.max(1, deadlineNanos - System.nanoTime()),
            TimeUnit.NANOSECONDS);
  }

  private boolean isOpen(int i) {
    return selection.get(i).mode() != Mode.OFF && selection.get(i).decision() == null;
  }

  /** Returns the claims of all rules that are not decided. */
  private List<Claim> openClaims() {
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < selection.size(); i++) {
      if (isOpen(i)) {
        selection.get(i).addClaims(claims);
      }
    }
    return List.copyOf(claims);
  }

  /**
   * Sets the decisions on {@link #openClaims}.
   *
   * @return whether the verdict is known. Otherwise the rules that allow are open again, because
   *     they were not charged
   */
  private boolean isDecided(List<Decision> results) {
    int next = 0;
    boolean denied = false;
    boolean shadowDenies = false;
    for (int i = 0; i < selection.size(); i++) {
      if (isOpen(i)) {
        SelectedRule rule = selection.get(i);
        int limits = rule.tier().rule().limits().size();
        Decision decision = Selection.combine(results, next, limits);
        rule.decided(decision);
        next += limits;
        denied |= rule.mode() == Mode.ENFORCE && !decision.allowed();
        shadowDenies |= rule.mode() == Mode.SHADOW && !decision.allowed();
      }
    }
    if (denied || (shadowDenies && enforceAlternatives())) {
      selection.deny();
      return true;
    }
    return !shadowDenies || !withdrawAllowed();
  }

  /** Enforces the alternatives if there are any and all of them deny. */
  private boolean enforceAlternatives() {
    boolean enforced = false;
    for (int i = 0; i < selection.size() && !selection.isForced(); i++) {
      if (selection.get(i).isAlternative()) {
        Decision decision = selection.get(i).decision();
        if (decision == null || decision.allowed()) {
          return false;
        }
        enforced = true;
      }
    }
    for (int i = 0; i < selection.size() && enforced; i++) {
      selection.get(i).enforceAlternative();
    }
    return enforced;
  }

  private boolean withdrawAllowed() {
    boolean withdrawn = false;
    for (int i = 0; i < selection.size(); i++) {
      SelectedRule rule = selection.get(i);
      Decision decision = rule.decision();
      if (decision != null && decision.allowed() && !rule.isDecidedWithoutStore()) {
        rule.withdraw();
        withdrawn = true;
      }
    }
    return withdrawn;
  }
}
