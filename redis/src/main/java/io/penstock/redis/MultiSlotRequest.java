package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.redis.PendingRequest.RequestKind;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A request whose buckets can't be asked for in one call. Thread-safe.
 *
 * <p>It goes in legs, all at once, and may pass when all of them may; otherwise what some took is
 * given back. To windows nothing can be given back, so they are only looked at until everything
 * else has been taken. A leg without an answer is decided by the failure policies of its limiters.
 */
final class MultiSlotRequest {
  private final PendingRequest whole;
  private final SpanOperations hands;
  private final long startNanos = System.nanoTime();
  private final AtomicInteger missing = new AtomicInteger();

  /** Guarded by this, as long as the request is not over. */
  private final List<SlotRequest> legs = new ArrayList<>();

  private boolean windowsTaken;
  private boolean over;

  /** Those who do it. */
  interface SpanOperations {
    /** Asks for a leg, which is answered or lost then. */
    void ask(SlotRequest leg);

    /** Gives up a leg if it has no answer yet. */
    void giveUp(SlotRequest leg);

    /** Decides for those that have no answer. */
    Decision decide(RequestKind what, List<BucketRequest> parts, Degradation why);

    void giveBack(List<Charge> taken);

    /** A request was denied that was asked at {@code startNanos}. */
    void denied(List<BucketRequest> parts, Decision denial, long startNanos);
  }

  /**
   * @param ways the parts of the request that can be asked for together
   */
  MultiSlotRequest(PendingRequest whole, List<List<BucketRequest>> ways, SpanOperations hands) {
    this.whole = whole;
    this.hands = hands;
    for (List<BucketRequest> way : ways) {
      RequestKind what = isForGood(way) ? RequestKind.PREVIEW : whole.what();
      legs.add(new SlotRequest(what, way, whole.deadlineNanos()));
    }
  }

  /** Whether something would be taken that can't be given back. */
  private static boolean isForGood(List<BucketRequest> parts) {
    return parts.stream().anyMatch(part -> !part.limitsTokens());
  }

  void begin() {
    missing.set(legs.size());
    ask(List.copyOf(legs));
  }

  private void ask(List<SlotRequest> some) {
    for (SlotRequest leg : some) {
      var unused = leg.answer().whenComplete((decision, none) -> settled());
      hands.ask(leg);
    }
  }

  private void settled() {
    if (missing.decrementAndGet() > 0) {
      return;
    }
    try {
      List<SlotRequest> windows = windowsToTake();
      if (windows.isEmpty()) {
        finish();
      } else {
        ask(windows);
      }
    } catch (RuntimeException failure) {
      whole.fail(failure);
    }
  }

  /** Those windows that were only looked at and are to be taken from, if all others allow it. */
  private synchronized List<SlotRequest> windowsToTake() {
    List<SlotRequest> windows = new ArrayList<>();
    boolean decided = over || windowsTaken || legs.stream().anyMatch(MultiSlotRequest::denies);
    if (decided || whole.what() != RequestKind.TAKE) {
      return windows;
    }
    windowsTaken = true;
    for (int i = 0; i < legs.size(); i++) {
      SlotRequest looked = legs.get(i);
      if (looked.what() == RequestKind.PREVIEW && looked.lost() == null) {
        SlotRequest taking =
            new SlotRequest(RequestKind.TAKE, looked.parts(), whole.deadlineNanos());
        legs.set(i, taking);
        windows.add(taking);
      }
    }
    missing.set(windows.size());
    return windows;
  }

  private static boolean denies(SlotRequest leg) {
    return leg.denied()
        || (leg.lost() != null
            && leg.parts().stream()
                .anyMatch(part -> part.buckets().onFailure() == FailurePolicy.CLOSED));
  }

  /** The time of the request is over. */
  void overdue() {
    List<SlotRequest> last;
    synchronized (this) {
      over = true;
      last = List.copyOf(legs);
    }
    last.forEach(hands::giveUp);
  }

  private void finish() {
    boolean denied = legs.stream().anyMatch(SlotRequest::denied);
    List<BucketRequest> lost = new ArrayList<>();
    Degradation why = null;
    for (SlotRequest leg : legs) {
      Degradation own = whyLost(leg, denied);
      if (own != null) {
        lost.addAll(leg.parts());
        why = why == Degradation.AMBIGUOUS ? why : own;
      }
    }
    List<Decision> fallback = List.of();
    if (why != null) {
      Decision decision = hands.decide(denied ? RequestKind.PREVIEW : whole.what(), lost, why);
      denied |= !decision.allowed();
      fallback = decision.results();
    }
    answer(denied, lost, fallback);
  }

  /** A window that was looked at in time and not taken from is as good as lost. */
  private @Nullable Degradation whyLost(SlotRequest leg, boolean denied) {
    boolean late = !denied && whole.what() == RequestKind.TAKE && leg.what() == RequestKind.PREVIEW;
    return leg.lost() == null && late ? Degradation.FAILED : leg.lost();
  }

  private void answer(boolean denied, List<BucketRequest> lost, List<Decision> fallback) {
    Map<String, Decision> results = new HashMap<>();
    for (int i = 0; i < lost.size(); i++) {
      results.put(lost.get(i).redisKey(), fallback.get(i));
    }
    for (SlotRequest leg : legs) {
      if (!results.containsKey(leg.parts().get(0).redisKey())) {
        List<Decision> own = denied ? leg.resultsUntaken() : leg.decision().results();
        for (int i = 0; i < own.size(); i++) {
          results.put(leg.parts().get(i).redisKey(), own.get(i));
        }
      }
    }
    Decision[] parts =
        whole.parts().stream()
            .map(part -> Objects.requireNonNull(results.get(part.redisKey())))
            .toArray(Decision[]::new);
    Decision decision = Decision.all(parts);
    boolean inTime = whole.send() && whole.answer(decision);
    if (denied && whole.what() == RequestKind.TAKE) {
      hands.denied(whole.parts(), decision, startNanos);
    }
    if (denied || !inTime) {
      legs.stream().map(SlotRequest::taken).forEach(hands::giveBack);
    }
  }
}
