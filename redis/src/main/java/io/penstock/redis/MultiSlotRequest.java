package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A request whose buckets can't be decided in one call. Thread-safe.
 *
 * <p>It is split into one request per slot, which are sent concurrently. It is allowed if all of
 * them are; otherwise the tokens that some have taken are refunded. Windows don't support refunds,
 * so they are checked first and charged only after everything else has been taken. A slot without a
 * response is decided by the failure policies of its limiters.
 */
final class MultiSlotRequest {
  /** The most significant reason first. */
  private static final List<Degradation> SIGNIFICANCE =
      List.of(
          Degradation.AMBIGUOUS, Degradation.STARVED, Degradation.FAILED, Degradation.UNAVAILABLE);

  private final PendingRequest request;
  private final SlotDispatch dispatch;
  private final long startNanos = System.nanoTime();
  private final AtomicInteger pending = new AtomicInteger();

  /** Guarded by this until the request is complete. */
  private final List<SlotRequest> slotRequests = new ArrayList<>();

  private boolean windowsTaken;
  private boolean timedOut;

  /** The dispatch that this request needs. */
  interface SlotDispatch {
    /** Sends a slot request, which is completed or lost afterwards. */
    void send(SlotRequest slotRequest);

    /** Gives up a slot request if it is not complete. */
    void giveUp(SlotRequest slotRequest);

    /** Decides the claims without a response by their failure policies. */
    Decision decide(Operation operation, List<RedisClaim> claims, Degradation why);

    void giveBack(List<Receipt> taken);

    /** Called when a request that started at {@code startNanos} was denied. */
    void denied(List<RedisClaim> claims, Decision denial, long startNanos);
  }

  /**
   * @param groups the claims of the request, grouped by what one call can decide
   */
  MultiSlotRequest(PendingRequest request, List<List<RedisClaim>> groups, SlotDispatch dispatch) {
    this.request = request;
    this.dispatch = dispatch;
    for (List<RedisClaim> group : groups) {
      Operation operation = isIrrevocable(group) ? Operation.PEEK : request.operation();
      slotRequests.add(newSlotRequest(operation, group));
    }
  }

  private SlotRequest newSlotRequest(Operation operation, List<RedisClaim> claims) {
    return new SlotRequest(operation, claims, request.deadlineNanos(), request.decision());
  }

  /** Whether the request would take tokens that can't be refunded. */
  private static boolean isIrrevocable(List<RedisClaim> claims) {
    return claims.stream().anyMatch(claim -> !claim.isTokenBucket());
  }

  void start() {
    pending.set(slotRequests.size());
    sendAll(List.copyOf(slotRequests));
  }

  private void sendAll(List<SlotRequest> batch) {
    for (SlotRequest slotRequest : batch) {
      var unused = slotRequest.decision().whenComplete((decision, none) -> slotCompleted());
      dispatch.send(slotRequest);
    }
  }

  private void slotCompleted() {
    if (pending.decrementAndGet() > 0) {
      return;
    }
    try {
      List<SlotRequest> windows = windowsToTake();
      if (windows.isEmpty()) {
        finish();
      } else {
        sendAll(windows);
      }
    } catch (RuntimeException failure) {
      request.fail(failure);
    }
  }

  /**
   * Returns requests for the windows that were checked, which are charged if all other slots have
   * granted.
   */
  private synchronized List<SlotRequest> windowsToTake() {
    List<SlotRequest> windows = new ArrayList<>();
    boolean decided =
        timedOut || windowsTaken || slotRequests.stream().anyMatch(MultiSlotRequest::denies);
    if (decided || request.operation() != Operation.TAKE) {
      return windows;
    }
    windowsTaken = true;
    for (int i = 0; i < slotRequests.size(); i++) {
      SlotRequest peeked = slotRequests.get(i);
      if (peeked.operation() == Operation.PEEK && peeked.lost() == null) {
        SlotRequest taking = newSlotRequest(Operation.TAKE, peeked.claims());
        slotRequests.set(i, taking);
        windows.add(taking);
      }
    }
    pending.set(windows.size());
    return windows;
  }

  private static boolean denies(SlotRequest slotRequest) {
    return slotRequest.denied()
        || (slotRequest.lost() != null
            && slotRequest.claims().stream()
                .anyMatch(claim -> claim.buckets().onFailure() == FailurePolicy.CLOSED));
  }

  /** Called when the deadline has passed. */
  void timeOut() {
    List<SlotRequest> sent;
    synchronized (this) {
      timedOut = true;
      sent = List.copyOf(slotRequests);
    }
    sent.forEach(dispatch::giveUp);
  }

  private void finish() {
    boolean denied = slotRequests.stream().anyMatch(SlotRequest::denied);
    List<RedisClaim> lost = new ArrayList<>();
    Degradation why = null;
    for (SlotRequest slotRequest : slotRequests) {
      Degradation own = whyLost(slotRequest, denied);
      if (own != null) {
        lost.addAll(slotRequest.claims());
        why = moreSignificant(why, own);
      }
    }
    List<Decision> fallback = List.of();
    if (why != null) {
      Decision decision = dispatch.decide(denied ? Operation.PEEK : request.operation(), lost, why);
      denied |= !decision.allowed();
      fallback = decision.results();
    }
    complete(denied, lost, fallback);
  }

  /** A possible charge is more significant than none, and a slow server than a starved process. */
  static Degradation moreSignificant(@Nullable Degradation one, Degradation other) {
    return one != null && SIGNIFICANCE.indexOf(one) <= SIGNIFICANCE.indexOf(other) ? one : other;
  }

  /** A window that was checked in time but not charged counts as lost. */
  private @Nullable Degradation whyLost(SlotRequest slotRequest, boolean denied) {
    boolean late =
        !denied
            && request.operation() == Operation.TAKE
            && slotRequest.operation() == Operation.PEEK;
    return slotRequest.lost() == null && late ? Degradation.FAILED : slotRequest.lost();
  }

  private void complete(boolean denied, List<RedisClaim> lost, List<Decision> fallback) {
    Map<String, Decision> degraded = new HashMap<>();
    for (int i = 0; i < lost.size(); i++) {
      degraded.put(lost.get(i).redisKey(), fallback.get(i));
    }
    Decision decision = decision(denied, degraded);
    if (request instanceof SlotRequest part) {
      part.setUntakenResult(decision(true, degraded));
      part.setReceipts(slotRequests.stream().flatMap(each -> each.taken().stream()).toList());
    }
    boolean inTime = request.markSent() && request.completeWithReply(decision);
    if (denied && request.operation() == Operation.TAKE) {
      dispatch.denied(request.claims(), decision, startNanos);
    }
    if (denied || !inTime) {
      slotRequests.stream().map(SlotRequest::taken).forEach(dispatch::giveBack);
    }
  }

  /**
   * @param untaken whether to return the results as if nothing had been taken
   * @param degraded the results of claims without a response
   */
  private Decision decision(boolean untaken, Map<String, Decision> degraded) {
    Map<String, Decision> results = new HashMap<>(degraded);
    for (SlotRequest slotRequest : slotRequests) {
      if (!degraded.containsKey(slotRequest.claims().get(0).redisKey())) {
        List<Decision> own =
            untaken ? slotRequest.resultsUntaken() : slotRequest.result().results();
        for (int i = 0; i < own.size(); i++) {
          results.put(slotRequest.claims().get(i).redisKey(), own.get(i));
        }
      }
    }
    return Decision.all(
        request.claims().stream()
            .map(claim -> Objects.requireNonNull(results.get(claim.redisKey())))
            .toArray(Decision[]::new));
  }
}
