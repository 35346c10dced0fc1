package io.penstock.policy;

import io.penstock.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a policy to a request. Immutable.
 *
 * <p>Of several rules that deny, the one with the longest wait is decisive; when all allow, the one
 * with the smallest share left.
 */
public final class Verdict {
  /** No rule applies: allowed. */
  public static final Verdict UNLIMITED = new Verdict(null);

  /** The request is denied for its path, before any rule is asked. */
  public static final Verdict PATH_REJECTED = new Verdict(null);

  private static final Outcome[] NO_OUTCOMES = {};

  private final @Nullable Outcome decisive;
  private final Outcome[] outcomes;

  private Verdict(@Nullable Outcome decisive, Outcome... outcomes) {
    this.decisive = decisive;
    this.outcomes = outcomes;
  }

  /** The verdict of {@code outcomes}: of the enforced ones, the one that matters most decides. */
  public static Verdict of(List<Outcome> outcomes) {
    if (outcomes.isEmpty()) {
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
    return new Verdict(decisive, outcomes.toArray(NO_OUTCOMES));
  }

  /** The verdict of one rule that binds. */
  static Verdict of(Outcome only) {
    return new Verdict(only, only);
  }

  /** This, and what other rules said of the same request later, as one verdict. */
  public Verdict and(Verdict later) {
    if (this == PATH_REJECTED || later == PATH_REJECTED) {
      return PATH_REJECTED;
    }
    if (outcomes.length == 0) {
      return later;
    }
    if (later.outcomes.length == 0) {
      return this;
    }
    List<Outcome> all = new ArrayList<>(outcomes.length + later.outcomes.length);
    for (Mode mode : new Mode[] {Mode.ENFORCE, Mode.SHADOW}) {
      add(outcomes, mode, all);
      add(later.outcomes, mode, all);
    }
    return of(all);
  }

  private static void add(Outcome[] outcomes, Mode mode, List<Outcome> all) {
    for (Outcome outcome : outcomes) {
      if (outcome.mode() == mode) {
        all.add(outcome);
      }
    }
  }

  /** Whether the request may pass, after {@link #delay()}. */
  public boolean allowed() {
    return decisive == null ? this != PATH_REJECTED : decisive.decision().allowed();
  }

  /**
   * The outcome whose figures are those of the answer; empty if no enforcing rule applied, and for
   * {@link #PATH_REJECTED}.
   */
  public Optional<Outcome> decisive() {
    return Optional.ofNullable(decisive);
  }

  /** Why the request is denied, or why its answer is not the usual one; empty otherwise. */
  public Optional<Reason> reason() {
    if (this == PATH_REJECTED) {
      return Optional.of(Reason.PATH_REJECTED);
    }
    return decisive == null ? Optional.empty() : decisive.decision().reason();
  }

  /** What each rule that applied says, enforcing ones first, each in the order of the policy. */
  public List<Outcome> outcomes() {
    return Collections.unmodifiableList(Arrays.asList(outcomes));
  }

  /** How long an allowed request has to be held back first: as long as any rule asks for. */
  public Duration delay() {
    Duration longest = Duration.ZERO;
    if (allowed()) {
      for (Outcome outcome : outcomes) {
        Duration delay = outcome.decision().delay();
        if (outcome.mode() == Mode.ENFORCE && delay.compareTo(longest) > 0) {
          longest = delay;
        }
      }
    }
    return longest;
  }

  void tell(PolicyObserver observer) {
    for (Outcome outcome : outcomes) {
      observer.decided(outcome);
    }
  }

  /**
   * Whether a failure policy decided any of it because the store could not. Shadows decide nothing.
   */
  public boolean degraded() {
    for (Outcome outcome : outcomes) {
      if (outcome.mode() == Mode.ENFORCE && outcome.decision().degraded()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    if (this == PATH_REJECTED) {
      return "denied, the path is rejected";
    }
    return decisive == null
        ? "allowed, no rule applies"
        : decisive.rule().name() + ": " + decisive.decision();
  }
}
