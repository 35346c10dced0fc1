package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The part of a multi-slot request that goes to one slot. Thread-safe. */
final class SlotRequest extends PendingRequest {
  private volatile @Nullable Decision untaken;
  private volatile @Nullable Degradation lost;
  private volatile List<Receipt> receipts = List.of();
  private final CompletableFuture<Decision> callerDecision;

  /**
   * @param callerDecision the decision on the whole request
   */
  SlotRequest(
      Operation operation,
      List<RedisClaim> claims,
      long deadlineNanos,
      CompletableFuture<Decision> callerDecision) {
    super(operation, claims, deadlineNanos);
    this.callerDecision = callerDecision;
  }

  @Override
  CompletableFuture<Decision> callerDecision() {
    return callerDecision;
  }

  /** Sets the result for the case that the taken tokens are refunded. */
  void setUntakenResult(Decision decision) {
    untaken = decision;
  }

  /** Sets the receipts for the case that the request is granted. */
  void setReceipts(List<Receipt> receipts) {
    this.receipts = receipts;
  }

  /** Gives up: there will be no response. */
  void lose(Degradation why) {
    lost = why;
    decision().cancel(false);
  }

  /** Why there is no response; null if there is one. */
  @Nullable Degradation lost() {
    return lost;
  }

  /** The result; only after completion. */
  Decision result() {
    return decision().join();
  }

  boolean allowed() {
    return lost == null && result().allowed();
  }

  boolean denied() {
    return lost == null && !result().allowed();
  }

  /** The receipts of what was taken. Claims that a failure policy allowed were not charged. */
  List<Receipt> taken() {
    List<Receipt> taken = new ArrayList<>();
    if (operation() == Operation.TAKE && allowed()) {
      List<Decision> results = result().results();
      for (Receipt receipt : receipts) {
        if (!results.get(claims().indexOf(receipt.claim())).degraded()) {
          taken.add(receipt);
        }
      }
    }
    return taken;
  }

  /** The result of each limit as if nothing had been taken. */
  List<Decision> resultsUntaken() {
    Decision decision = untaken;
    return (decision == null ? result() : decision).results();
  }
}
