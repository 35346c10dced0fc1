package io.penstock.policy;

import io.penstock.Decision;
import io.penstock.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of a policy on a request. Immutable.
 *
 * <p>If several rules deny, the one with the longest wait is decisive. If all allow, it is the one
 * with the smallest remaining share.
 */
public final class Verdict {
  /** Allowed because no rule applies. */
  public static final Verdict UNLIMITED = new Verdict(null);

  /** Denied because of the path, before any rule is evaluated. */
  public static final Verdict PATH_REJECTED = new Verdict(null);

  private static final Outcome[] NO_OUTCOMES = {};

  private final @Nullable Outcome decisive;
  private final Outcome[] outcomes;
  private final List<SkippedRule> skipped;

  private Verdict(@Nullable Outcome decisive, Outcome... outcomes) {
    this(decisive, List.of(), outcomes);
  }

  private Verdict(@Nullable Outcome decisive, List<SkippedRule> skipped, Outcome... outcomes) {
    this.decisive = decisive;
    this.skipped = skipped;
    this.outcomes = outcomes;
  }

  /**
   * Returns the verdict for {@code outcomes}. The most significant enforced outcome is decisive.
   */
  public static Verdict of(List<Outcome> outcomes) {
    return of(outcomes, List.of());
  }

  static Verdict of(List<Outcome> outcomes, List<SkippedRule> skipped) {
    if (outcomes.isEmpty() && skipped.isEmpty()) {
      return UNLIMITED;
    }
    Outcome decisive = null;
    for (int i = 0; i < outcomes.size(); i++) {
      Outcome outcome = outcomes.get(i);
      if (outcome.mode() == Mode.ENFORCE
          && (decisive == null || outcome.decision().mattersMoreThan(decisive.decision()))) {
        decisive = outcome;
      }
    }
    return new Verdict(decisive, List.copyOf(skipped), outcomes.toArray(NO_OUTCOMES));
  }

  /** Returns the verdict of a single enforced rule. */
  static Verdict of(Outcome only) {
    return new Verdict(only, only);
  }

  /** Combines this verdict with that of other rules on the same request. */
  public Verdict and(Verdict later) {
    if (this == PATH_REJECTED || later == PATH_REJECTED) {
      return PATH_REJECTED;
    }
    if (outcomes.length == 0 && skipped.isEmpty()) {
      return later;
    }
    if (later.outcomes.length == 0 && later.skipped.isEmpty()) {
      return this;
    }
    List<Outcome> all = new ArrayList<>(outcomes.length + later.outcomes.length);
    for (Mode mode : new Mode[] {Mode.ENFORCE, Mode.SHADOW}) {
      add(outcomes, mode, all);
      add(later.outcomes, mode, all);
    }
    List<SkippedRule> allSkipped = new ArrayList<>(skipped);
    allSkipped.addAll(later.skipped);
    return of(all, allSkipped);
  }

  private static void add(Outcome[] outcomes, Mode mode, List<Outcome> all) {
    for (Outcome outcome : outcomes) {
      if (outcome.mode() == mode) {
        all.add(outcome);
      }
    }
  }

  /** Returns whether the request is allowed, after {@link #delay()}. */
  public boolean allowed() {
    return decisive == null ? this != PATH_REJECTED : decisive.decision().allowed();
  }

  /**
   * Returns the outcome whose figures the response reports. Empty if no enforcing rule applied, and
   * for {@link #PATH_REJECTED}.
   */
  public Optional<Outcome> decisive() {
    return Optional.ofNullable(decisive);
  }

  /** Returns why the request is denied or the decision is degraded; otherwise empty. */
  public Optional<Reason> reason() {
    if (this == PATH_REJECTED) {
      return Optional.of(Reason.PATH_REJECTED);
    }
    return decisive == null ? Optional.empty() : decisive.decision().reason();
  }

  /**
   * Returns the outcomes of all rules that were evaluated: enforcing rules first, each kind in
   * policy order.
   */
  public List<Outcome> outcomes() {
    return Collections.unmodifiableList(Arrays.asList(outcomes));
  }

  /** Returns the outcomes of shadow rules that would have denied the request. */
  public List<Outcome> shadowDenials() {
    List<Outcome> denials = List.of();
    // Shadow rules come last.
    for (int i = outcomes.length - 1; i >= 0 && outcomes[i].mode() == Mode.SHADOW; i--) {
      if (!outcomes[i].decision().allowed()) {
        denials = denials.isEmpty() ? new ArrayList<>() : denials;
        denials.add(outcomes[i]);
      }
    }
    return denials;
  }

  /** Returns the rules that didn't apply because the caller supplied no value for their key. */
  public List<SkippedRule> skipped() {
    return skipped;
  }

  /** Returns how long an allowed request has to be delayed: the maximum over all enforced rules. */
  public Duration delay() {
    Duration maxDelay = Duration.ZERO;
    if (allowed()) {
      for (Outcome outcome : outcomes) {
        Duration delay = outcome.decision().delay();
        if (outcome.mode() == Mode.ENFORCE && delay.compareTo(maxDelay) > 0) {
          maxDelay = delay;
        }
      }
    }
    return maxDelay;
  }

  /**
   * Returns the denial of an allowed request that can't be delayed: each rule that requires a delay
   * denies instead, with the delay as the wait until a retry.
   */
  public Verdict withoutDelay() {
    List<Outcome> all = new ArrayList<>(outcomes.length);
    for (Outcome outcome : outcomes) {
      all.add(
          outcome.mode() == Mode.ENFORCE
              ? new Outcome(
                  outcome.rule(),
                  outcome.mode(),
                  outcome.key(),
                  outcome.costThousandths(),
                  withoutDelay(outcome.decision()))
              : outcome);
    }
    return of(all);
  }

  private static Decision withoutDelay(Decision decision) {
    List<Decision> results = decision.results();
    if (results.size() > 1) {
      return Decision.all(results.stream().map(Verdict::withoutDelay).toArray(Decision[]::new));
    }
    Decision result = results.get(0);
    if (result.delay().isZero()) {
      return decision;
    }
    Decision denial =
        Decision.deny(
            result.limiter(),
            result.limit(),
            result.remainingThousandths(),
            result.resetAfter().toNanos(),
            result.delay().toNanos());
    return result.degradation().map(denial::asDegraded).orElse(denial);
  }

  void reportTo(PolicyObserver observer) {
    for (Outcome outcome : outcomes) {
      observer.decided(outcome);
    }
    if (outcomes.length == 0 && !skipped.isEmpty()) {
      skipped.forEach(observer::skipped);
    }
  }

  /**
   * Returns whether a failure policy made any enforced decision because the store could not. Shadow
   * rules don't count.
   */
  public boolean degraded() {
    return degradation() != null;
  }

  /** Returns why a failure policy made an enforced decision; null if none did. */
  public @Nullable Reason degradation() {
    for (Outcome outcome : outcomes) {
      if (outcome.mode() == Mode.ENFORCE && outcome.decision().degraded()) {
        return outcome.decision().degradation().orElseThrow();
      }
    }
    return null;
  }

  @Override
  public String toString() {
    if (this == PATH_REJECTED) {
      return "denied, the path is rejected";
    }
    return decisive == null ? "allowed, no rule applies" : describe(decisive);
  }

  /** Names the rule, not the limiter of the decision, whose name is that of a group of buckets. */
  private String describe(Outcome outcome) {
    Decision decision = outcome.decision();
    Duration delay = delay();
    Reason degradation = degradation();
    return (allowed() ? "allowed by " : "denied by ")
        + outcome.rule().name()
        + " (remaining "
        + decision.remaining()
        + (allowed()
            ? ""
            : decision.neverAllowed()
                ? ", can never pass"
                : ", retry after " + decision.retryAfter())
        + (delay.isZero() ? "" : ", delay " + delay)
        + (degradation == null ? "" : ", degraded by " + degradation.code())
        + ")";
  }
}
