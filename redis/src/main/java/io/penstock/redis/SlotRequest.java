package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of a multi-slot request that goes to one slot. Thread-safe. */
final class SlotRequest extends PendingRequest {
  private volatile @Nullable Decision untaken;
  private volatile @Nullable Degradation lost;
  private volatile List<Charge> charges = List.of();

  SlotRequest(RequestKind kind, List<BucketRequest> parts, long deadlineNanos) {
    super(kind, parts, deadlineNanos);
  }

  /** Sets the result for the case that the taken tokens are given back. */
  void setUntakenResult(Decision decision) {
    untaken = decision;
  }

  /** Sets the charges for the case that the request is granted. */
  void setCharges(List<Charge> noted) {
    charges = noted;
  }

  /** Gives up: there will be no response. */
  void lose(Degradation why) {
    lost = why;
    answer().cancel(false);
  }

  /** Why there is no response; null if there is one. */
  @Nullable Degradation lost() {
    return lost;
  }

  /** The result; only after completion. */
  Decision decision() {
    return answer().join();
  }

  boolean allowed() {
    return lost == null && decision().allowed();
  }

  boolean denied() {
    return lost == null && !decision().allowed();
  }

  /** The known charges. Parts that a failure policy allowed were not charged. */
  List<Charge> taken() {
    List<Charge> taken = new ArrayList<>();
    if (kind() == RequestKind.TAKE && allowed()) {
      List<Decision> results = decision().results();
      for (Charge charge : charges) {
        if (!results.get(parts().indexOf(charge.part())).degraded()) {
          taken.add(charge);
        }
      }
    }
    return taken;
  }

  /** The result of each limit as if nothing had been taken. */
  List<Decision> resultsUntaken() {
    Decision decision = untaken;
    return (decision == null ? decision() : decision).results();
  }
}
