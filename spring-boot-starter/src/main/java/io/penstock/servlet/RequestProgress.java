package io.penstock.servlet;

import io.penstock.policy.Phase;
import io.penstock.policy.Verdict;
import jakarta.servlet.ServletRequest;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a request through the phases of the policy. Stored as a single attribute of the
 * request, because every attribute has a cost in the container. Confined to the thread that handles
 * the request.
 */
public final class RequestProgress {
  /** The name of the request attribute. In access logs, it is shown as the verdict so far. */
  public static final String ATTRIBUTE = "io.penstock.progress";

  /** Cloned for each request, which is faster than creating a set. */
  private static final EnumSet<Phase> NONE = EnumSet.noneOf(Phase.class);

  private final EnumSet<Phase> evaluated = NONE.clone();
  private @Nullable Verdict verdict;
  private @Nullable Phase holder;
  private @Nullable HeldRequest held;

  /**
   * A request that is held until its decision arrives.
   *
   * @param timeoutMillis the async timeout that the container had set
   */
  record HeldRequest(CompletableFuture<Verdict> decision, long timeoutMillis) {}

  private RequestProgress() {}

  /** Returns the progress of a request, which starts now if it has none yet. */
  public static RequestProgress of(ServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof RequestProgress existing) {
      return existing;
    }
    RequestProgress progress = new RequestProgress();
    request.setAttribute(ATTRIBUTE, progress);
    return progress;
  }

  /** Returns the combined verdict of all rules evaluated so far; empty if there are none. */
  public Optional<Verdict> verdict() {
    return Optional.ofNullable(verdict);
  }

  /** Adds the verdict of further rules and returns the combined verdict. */
  public Verdict add(Verdict later) {
    verdict = verdict == null ? later : verdict.and(later);
    return verdict;
  }

  /** Sets the combined verdict. */
  void set(Verdict combined) {
    verdict = combined;
  }

  /** Records that a phase is evaluated. Returns false if it already was. */
  boolean enter(Phase phase) {
    return evaluated.add(phase);
  }

  /** Records that a phase has released the thread until its decision arrives. */
  void hold(Phase phase, HeldRequest waiting) {
    holder = phase;
    held = waiting;
  }

  /** Returns what a phase is waiting for, once; null if it is not waiting. */
  @Nullable HeldRequest resume(Phase phase) {
    if (holder != phase) {
      return null;
    }
    HeldRequest waiting = held;
    holder = null;
    held = null;
    return waiting;
  }

  @Override
  public String toString() {
    return verdict == null ? "not evaluated yet" : verdict.toString();
  }
}
