package io.penstock.servlet;

import io.penstock.policy.Phase;
import io.penstock.policy.Verdict;
import jakarta.servlet.ServletRequest;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How far a request has come with its limits. Kept as one attribute of the request, because each
 * costs a container something. Belongs to the thread that the request does.
 */
public final class RequestProgress {
  /** Access logs can name it: it is shown as the verdict so far. */
  public static final String ATTRIBUTE = "io.penstock.passage";

  /** To be copied, which is faster than to make one. */
  private static final EnumSet<Phase> NONE = EnumSet.noneOf(Phase.class);

  private final EnumSet<Phase> asked = NONE.clone();
  private @Nullable Verdict verdict;
  private @Nullable Phase holder;
  private @Nullable HeldRequest held;

  /**
   * What a request that was let go of waits for.
   *
   * @param timeoutMillis that of asynchronous requests, as the container had it
   */
  record HeldRequest(CompletableFuture<Verdict> answer, long timeoutMillis) {}

  private RequestProgress() {}

  /** That of a request, which begins if it has none yet. */
  public static RequestProgress of(ServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof RequestProgress known) {
      return known;
    }
    RequestProgress passage = new RequestProgress();
    request.setAttribute(ATTRIBUTE, passage);
    return passage;
  }

  /** What all rules that were asked said together; empty if none was. */
  public Optional<Verdict> verdict() {
    return Optional.ofNullable(verdict);
  }

  /** Adds what further rules said; that and all before it. */
  public Verdict add(Verdict later) {
    verdict = verdict == null ? later : verdict.and(later);
    return verdict;
  }

  /** Notes that the rules of a phase are asked; false if they were before. */
  boolean enter(Phase phase) {
    return asked.add(phase);
  }

  /** Notes that a phase has let go of the thread until there is an answer. */
  void hold(Phase phase, HeldRequest until) {
    holder = phase;
    held = until;
  }

  /** What a phase waits for, once; null if it doesn't wait. */
  @Nullable HeldRequest resume(Phase phase) {
    if (holder != phase) {
      return null;
    }
    HeldRequest until = held;
    holder = null;
    held = null;
    return until;
  }

  @Override
  public String toString() {
    return verdict == null ? "not asked yet" : verdict.toString();
  }
}
