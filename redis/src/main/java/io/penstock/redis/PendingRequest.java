package io.penstock.redis;

import io.penstock.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One caller's request on its way to Redis and back. Thread-safe: it is answered once, by whoever
 * comes first, the reply or the deadline.
 */
sealed class PendingRequest permits ChargeReturn, LeaseRequest, SlotRequest {
  /** What is asked for, as the script numbers it. */
  enum RequestKind {
    TAKE(0),
    PREVIEW(1),
    CHARGE(2),
    REFUND(3),
    RESET(4),
    LEASE(5),
    GIVE_BACK(6);

    private final int code;

    RequestKind(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }
  }

  private enum Stage {
    WAITING,
    SENT,
    GIVEN_UP,
    ANSWERED
  }

  private final RequestKind what;
  private final List<BucketRequest> parts;
  private final long deadlineNanos;
  private final CompletableFuture<Decision> answer = new CompletableFuture<>();
  private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
  private volatile @Nullable MultiSlotRequest span;

  PendingRequest(RequestKind what, List<BucketRequest> parts, long deadlineNanos) {
    this.what = what;
    this.parts = parts;
    this.deadlineNanos = deadlineNanos;
  }

  RequestKind what() {
    return what;
  }

  List<BucketRequest> parts() {
    return parts;
  }

  /** When it has to be answered at the latest, by {@link System#nanoTime}. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /** What it has become, if it can't be asked for in one call; null otherwise. */
  @Nullable MultiSlotRequest span() {
    return span;
  }

  void becomes(MultiSlotRequest span) {
    this.span = span;
  }

  CompletableFuture<Decision> answer() {
    return answer;
  }

  /** Whether it can take part in a call; from now on it may have been charged. */
  boolean send() {
    return stage.compareAndSet(Stage.WAITING, Stage.SENT);
  }

  /**
   * The reply is there.
   *
   * @return false if it came too late, and somebody else has answered
   */
  boolean answer(Decision decision) {
    if (!stage.compareAndSet(Stage.SENT, Stage.ANSWERED)) {
      return false;
    }
    answer.complete(decision);
    return true;
  }

  /** Redis has said that it won't: nothing was charged. */
  void refused() {
    stage.compareAndSet(Stage.SENT, Stage.WAITING);
  }

  /** It can't be decided at all. Whoever waits for it gets the reason. */
  void fail(RuntimeException cause) {
    if (giveUp() != Loss.NONE) {
      answer.completeExceptionally(cause);
    }
  }

  /** What is left of it when it is given up. */
  enum Loss {
    /** Nothing: it has been answered. */
    NONE,
    /** It was not asked. */
    UNSENT,
    /** It was asked, and may have been charged. */
    AMBIGUOUS
  }

  /** Takes it back from whoever would answer it; who gets anything but none has to answer. */
  Loss giveUp() {
    if (stage.compareAndSet(Stage.WAITING, Stage.GIVEN_UP)) {
      return Loss.UNSENT;
    }
    return stage.compareAndSet(Stage.SENT, Stage.GIVEN_UP) ? Loss.AMBIGUOUS : Loss.NONE;
  }
}
