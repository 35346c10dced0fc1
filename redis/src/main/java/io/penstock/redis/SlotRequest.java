package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of a request that goes one way while others go elsewhere. Thread-safe. */
final class SlotRequest extends PendingRequest {
  private volatile @Nullable Decision untaken;
  private volatile @Nullable Degradation lost;
  private volatile List<Charge> charges = List.of();

  SlotRequest(RequestKind what, List<BucketRequest> parts, long deadlineNanos) {
    super(what, parts, deadlineNanos);
  }

  /** What the answer is if what was taken is given back. */
  void noteUntaken(Decision decision) {
    untaken = decision;
  }

  /** What it was charged, if it was granted. */
  void noteCharges(List<Charge> noted) {
    charges = noted;
  }

  /** No answer will come; its request has to do without. */
  void lose(Degradation why) {
    lost = why;
    answer().cancel(false);
  }

  /** Why there is no answer; null if there is one. */
  @Nullable Degradation lost() {
    return lost;
  }

  /** The answer, once it is there. */
  Decision decision() {
    return answer().join();
  }

  boolean allowed() {
    return lost == null && decision().allowed();
  }

  boolean denied() {
    return lost == null && !decision().allowed();
  }

  /** What it took as far as is known; what only a failure policy let pass took nothing. */
  List<Charge> taken() {
    List<Charge> taken = new ArrayList<>();
    if (what() == RequestKind.TAKE && allowed()) {
      List<Decision> results = decision().results();
      for (Charge charge : charges) {
        if (!results.get(parts().indexOf(charge.part())).degraded()) {
          taken.add(charge);
        }
      }
    }
    return taken;
  }

  /** The answer of each limit, as if nothing had been taken. */
  List<Decision> resultsUntaken() {
    Decision decision = untaken;
    return (decision == null ? decision() : decision).results();
  }
}
