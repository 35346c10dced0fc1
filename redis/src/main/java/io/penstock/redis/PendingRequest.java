package io.penstock.redis;

import io.penstock.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The request of one caller while it is in flight. Thread-safe: it is completed exactly once, by
 * the reply or by its deadline, whichever is first.
 */
sealed class PendingRequest permits LeaseRequest, SlotRequest {
  /**
   * If a deadline is noticed later than this, the process was starved of CPU time, and the timeout
   * is no evidence that Redis is slow. An idle machine is late by a fraction of a millisecond.
   */
  private static final long STARVED_NANOS = 5_000_000;

  /** The time to process a reply that arrived while the process was starved. */
  private static final long GRACE_NANOS = 5_000_000;

  private enum Stage {
    WAITING,
    SENT,
    GIVEN_UP,
    REPLIED
  }

  private final Operation operation;
  private final List<RedisClaim> claims;
  private final long deadlineNanos;
  private final long[] arguments;
  private final CompletableFuture<Decision> decision = new CompletableFuture<>();
  private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
  private volatile long giveUpNanos;
  private volatile @Nullable MultiSlotRequest split;
  private volatile @Nullable Decision local;

  /**
   * @param arguments the additional arguments of the script for this operation
   */
  PendingRequest(
      Operation operation, List<RedisClaim> claims, long deadlineNanos, long... arguments) {
    this.operation = operation;
    this.claims = claims;
    this.deadlineNanos = deadlineNanos;
    this.arguments = arguments;
    this.giveUpNanos = deadlineNanos;
  }

  Operation operation() {
    return operation;
  }

  List<RedisClaim> claims() {
    return claims;
  }

  /** Returns one of the additional arguments of the script. */
  long argument(int index) {
    return arguments[index];
  }

  /** Writes the additional arguments of the script. */
  void writeArguments(MessagePackArray numbers) {
    for (long argument : arguments) {
      numbers.add(argument);
    }
  }

  /** The deadline, by {@link System#nanoTime}. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /** When the request is given up: at its deadline, or a little later if it is starved. */
  long giveUpNanos() {
    return giveUpNanos;
  }

  /**
   * Returns whether to give the request up now. If its deadline is noticed too late, the reply may
   * have arrived, and waits for the CPU as well: the request gets a short time to read it.
   */
  boolean isOverdue(long now) {
    if (now - giveUpNanos < 0) {
      return false;
    }
    boolean hadGrace = giveUpNanos != deadlineNanos;
    if (!hadGrace && isStarved(now)) {
      giveUpNanos = now + GRACE_NANOS;
      return false;
    }
    return true;
  }

  /** Returns whether the process had no CPU time when the deadline passed. */
  boolean isStarved(long now) {
    return now - deadlineNanos > STARVED_NANOS;
  }

  /** The request that this one was split into, if one call can't decide it; otherwise null. */
  @Nullable MultiSlotRequest split() {
    return split;
  }

  void splitInto(MultiSlotRequest split) {
    this.split = split;
  }

  /** Completes with the decision on this request; for a part of a request, on that part. */
  CompletableFuture<Decision> decision() {
    return decision;
  }

  /**
   * Completes with the decision that the caller gets: for a part of a request, the decision on the
   * whole request.
   */
  CompletableFuture<Decision> callerDecision() {
    return decision;
  }

  /**
   * Sets the decision of the local buckets on a request in flight, which they count until its reply
   * arrives.
   *
   * @return false if the reply has arrived, so that the decision has to be undone
   */
  boolean setLocalDecision(Decision decision) {
    local = decision;
    Stage now = stage.get();
    return now == Stage.SENT || now == Stage.GIVEN_UP || removeLocalDecision() == null;
  }

  /** Removes and returns the decision of the local buckets; null if there is none. */
  @Nullable Decision removeLocalDecision() {
    if (local == null) {
      return null;
    }
    synchronized (this) {
      Decision removed = local;
      local = null;
      return removed;
    }
  }

  /** Marks the request as sent, unless it was given up; from now on it may have been charged. */
  boolean markSent() {
    return stage.compareAndSet(Stage.WAITING, Stage.SENT);
  }

  /**
   * Completes the request with the reply.
   *
   * @return false if the reply is too late because the request was given up
   */
  boolean completeWithReply(Decision reply) {
    if (!stage.compareAndSet(Stage.SENT, Stage.REPLIED)) {
      return false;
    }
    decision.complete(reply);
    return true;
  }

  /** Called when Redis rejected the call, so that nothing was charged. */
  void rejected() {
    stage.compareAndSet(Stage.SENT, Stage.WAITING);
  }

  /** Completes the request exceptionally, if it is not complete. */
  void fail(RuntimeException cause) {
    if (giveUp() != Loss.NONE) {
      decision.completeExceptionally(cause);
    }
  }

  /** The state in which a request was given up. */
  enum Loss {
    /** It was already complete. */
    NONE,
    /** It was not sent. */
    UNSENT,
    /** It was sent, and may have been charged. */
    AMBIGUOUS
  }

  /** Gives the request up. Unless the result is {@code NONE}, the caller has to complete it. */
  Loss giveUp() {
    if (stage.compareAndSet(Stage.WAITING, Stage.GIVEN_UP)) {
      return Loss.UNSENT;
    }
    return stage.compareAndSet(Stage.SENT, Stage.GIVEN_UP) ? Loss.AMBIGUOUS : Loss.NONE;
  }
}
