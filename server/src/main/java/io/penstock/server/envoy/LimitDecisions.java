package io.penstock.server.envoy;

import io.penstock.Decision;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.RuleBuckets;
import io.penstock.policy.RuleCall;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.Gate;
import io.penstock.server.log.RepeatedWarning;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides requests of Envoy: finds the limits of their descriptors, and has the {@link Gate} take
 * from all buckets or none. Thread-safe.
 */
final class LimitDecisions {
  private static final Logger LOG = LoggerFactory.getLogger(LimitDecisions.class);

  private final EnvoyLimits limits;
  private final Gate gate;
  private final EnvoyOptions options;
  private final LimitMeters meters;
  private final RepeatedWarning unknownDomain = new RepeatedWarning(LOG);
  private final RepeatedWarning uncounted = new RepeatedWarning(LOG);
  private final RepeatedWarning failedCorrection = new RepeatedWarning(LOG);

  LimitDecisions(EnvoyLimits limits, Gate gate, EnvoyOptions options, LimitMeters meters) {
    this.limits = limits;
    this.gate = gate;
    this.options = options;
    this.meters = meters;
  }

  /** A request with the limits that apply to it. */
  private record PlannedQuery(
      LimitQuery query, List<PlannedDescriptor> plan, List<BucketClaim> claims, long startNanos) {}

  /** Receives the answer to a request. */
  interface AnswerHandler {
    void answered(LimitAnswer answer);

    /** The request could not be decided because no configuration has been loaded. */
    void unconfigured();

    /** The request could not be decided because of an error, which has been logged. */
    void undecided();
  }

  /**
   * Decides a request without blocking.
   *
   * @param executor see {@link Gate#decide}
   * @throws InvalidQueryException if the request can't be decided
   */
  void decide(LimitQuery query, Supplier<Executor> executor, AnswerHandler handler) {
    if (!limits.isLoaded()) {
      meters.failed();
      handler.unconfigured();
      return;
    }
    long startNanos = System.nanoTime();
    List<PlannedDescriptor> plan = plan(query);
    List<BucketClaim> claims = claims(plan);
    PlannedQuery planned = new PlannedQuery(query, plan, claims, startNanos);
    refund(plan);
    List<BucketClaim> checks = checks(claims);
    List<BucketClaim> charges = new ArrayList<>(claims);
    charges.removeAll(checks);
    VerdictAction last = verdict -> answer(planned, verdict, handler);
    if (checks.isEmpty()) {
      evaluate(charges, claims, executor, handler, last);
      return;
    }
    evaluate(
        checks,
        claims,
        executor,
        handler,
        checked -> {
          if (deniesAlone(checks, charges)) {
            last.decided(checked);
          } else {
            evaluate(
                charges, claims, executor, handler, charged -> last.decided(checked.and(charged)));
          }
        });
  }

  private interface VerdictAction {
    void decided(Verdict verdict);
  }

  /**
   * Returns the claims without hits that have to be decided before the others, because windows
   * can't be given back what the others take. Empty if all claims can be decided together.
   */
  private List<BucketClaim> checks(List<BucketClaim> claims) {
    List<BucketClaim> checks = new ArrayList<>(claims);
    checks.removeIf(claim -> !claim.isCheck());
    return options.fixedWindows() && checks.size() < claims.size() ? checks : List.of();
  }

  /** Returns whether the request is denied whatever the outcomes of the other claims are. */
  private boolean deniesAlone(List<BucketClaim> checks, List<BucketClaim> others) {
    BucketClaim denying = denying(checks);
    return denying != null
        && !options.shadow()
        && (!isQuota(denying) || others.stream().noneMatch(this::isQuota));
  }

  /**
   * Decides claims together.
   *
   * @param all all claims of the request, some of which may be decided
   */
  private void evaluate(
      List<BucketClaim> asked,
      List<BucketClaim> all,
      Supplier<Executor> executor,
      AnswerHandler handler,
      VerdictAction action) {
    if (asked.isEmpty()) {
      action.decided(Verdict.UNLIMITED);
      return;
    }
    boolean quotasMayDeny = all.stream().noneMatch(this::isWithinQuota);
    List<RuleCall> calls = new ArrayList<>(asked.size());
    for (BucketClaim claim : asked) {
      calls.add(
          new RuleCall(claim.limit().name(), claim.request(), quotasMayDeny && isQuota(claim)));
    }
    gate.decide(
        calls,
        options.deadline(),
        executor,
        new Gate.VerdictHandler() {
          @Override
          public void decided(Verdict verdict) {
            assign(verdict, asked);
            action.decided(verdict);
          }

          @Override
          public void undecided() {
            meters.failed();
            handler.undecided();
          }
        });
  }

  private boolean isQuota(BucketClaim claim) {
    return options.quota() || claim.limit().mode().quota();
  }

  /** Returns whether a limit with a quota is known to be within it, or never counts as exceeded. */
  private boolean isWithinQuota(BucketClaim claim) {
    return isQuota(claim)
        && (claim.limit().mode().shadow() || (claim.outcome() != null && !claim.isOver()));
  }

  /** Finds the limit of each descriptor, without those that another one replaces. */
  private List<PlannedDescriptor> plan(LimitQuery query) {
    List<PlannedDescriptor> plan = new ArrayList<>(query.descriptors().size());
    Set<String> replaced = new HashSet<>();
    for (DescriptorQuery descriptor : query.descriptors()) {
      Optional<DescriptorMatch> match = limits.match(query.domain(), descriptor);
      match.ifPresent(found -> replaced.addAll(found.limit().replaces()));
      plan.add(new PlannedDescriptor(descriptor, match.orElse(null)));
    }
    if (!limits.config().hasDomain(query.domain())) {
      unknownDomain.warn(
          "Requests of an unknown domain are not limited; configured: "
              + String.join(", ", limits.config().domains().keySet()));
    }
    boolean matched = false;
    for (int i = 0; i < plan.size(); i++) {
      PlannedDescriptor planned = plan.get(i);
      matched |= planned.match() != null;
      if (planned.isLimited() && replaced.contains(planned.limit().label())) {
        plan.set(i, new PlannedDescriptor(planned.query(), null));
      } else if (planned.isLimited() && planned.query().refunds() && options.fixedWindows()) {
        throw new InvalidQueryException("is_negative_hits needs token buckets, not fixed windows");
      }
    }
    if (!matched) {
      meters.unmatched();
    }
    return plan;
  }

  /** Combines descriptors that select the same bucket, which can be claimed only once. */
  private static List<BucketClaim> claims(List<PlannedDescriptor> plan) {
    Map<BucketClaim.BucketId, BucketClaim> claims = new LinkedHashMap<>();
    for (int i = 0; i < plan.size(); i++) {
      PlannedDescriptor planned = plan.get(i);
      if (planned.isLimited() && !planned.query().refunds()) {
        claims
            .computeIfAbsent(BucketClaim.BucketId.of(planned), unused -> new BucketClaim(planned))
            .add(i, planned.query().hits());
      }
    }
    return new ArrayList<>(claims.values());
  }

  /** Assigns the outcomes, which are in the order of the claims for each rule. */
  private static void assign(Verdict verdict, List<BucketClaim> claims) {
    List<Outcome> outcomes = new ArrayList<>(verdict.outcomes());
    for (BucketClaim claim : claims) {
      for (int i = 0; i < outcomes.size(); i++) {
        if (outcomes.get(i).rule().name().equals(claim.limit().name())) {
          claim.decided(outcomes.remove(i));
          break;
        }
      }
    }
  }

  private void answer(PlannedQuery planned, Verdict verdict, AnswerHandler handler) {
    List<BucketClaim> claims = planned.claims;
    BucketClaim denying = denying(claims);
    boolean allowed = options.shadow() || (denying == null && verdict.allowed());
    if (!allowed) {
      if (denying != null && verdict.allowed()) {
        gate.deny(denying.request(), verdict, denial(denying));
      }
      chargeCosts(claims);
    } else if (denying != null) {
      meters.allowedByShadow();
    }
    meters.decided(
        allowed, verdict.degradation() != null, claims, System.nanoTime() - planned.startNanos);
    handler.answered(
        AnswerBuilder.build(
            planned.plan,
            claims,
            allowed,
            verdict.degradation(),
            metadata ->
                options.dynamicMetadata()
                    ? DynamicMetadata.of(planned.query, metadata)
                    : Map.of()));
  }

  /**
   * Returns the claim that denies the request: one over a limit that is enforced, or if all limits
   * with a quota are exceeded, one of them. Null if the request is allowed.
   */
  private @Nullable BucketClaim denying(List<BucketClaim> claims) {
    BucketClaim overQuota = null;
    boolean withinQuota = false;
    for (BucketClaim claim : claims) {
      DescriptorLimit.LimitMode mode = claim.limit().mode();
      boolean over = claim.isOver() && !mode.shadow();
      if (over && !isQuota(claim)) {
        return claim;
      }
      if (isQuota(claim) && over) {
        overQuota = claim;
      } else if (isQuota(claim)) {
        withinQuota = true;
      }
    }
    return withinQuota ? null : overQuota;
  }

  /** Returns the outcome that a denial is recorded with, though no rule denied the request. */
  private static Outcome denial(BucketClaim denying) {
    Outcome outcome = denying.evaluated();
    Decision decision = outcome.decision();
    long resetNanos = decision.resetAfter().toNanos();
    Decision denial =
        decision.allowed()
            ? Decision.deny(
                decision.limiter(),
                decision.limit(),
                decision.remainingThousandths(),
                resetNanos,
                resetNanos)
            : decision;
    return new Outcome(
        outcome.rule(), Mode.ENFORCE, outcome.key(), outcome.costThousandths(), denial);
  }

  /**
   * With an overdraft, charges the hits of a denied request that counts for several requests: such
   * hits are often the cost of a request that has been served.
   */
  private void chargeCosts(List<BucketClaim> claims) {
    for (BucketClaim claim : claims) {
      if (!claim.costs()) {
        continue;
      }
      if (!options.overdraft()) {
        uncounted.warn(
            "A request with hits_addend above 1 is denied, and its hits are not counted. If they are"
                + " the cost of requests that have been served, set envoy_overdraft");
        return;
      }
      BucketRequest request = claim.request();
      correct(claim.limit(), request, buckets -> buckets.charge(request.costThousandths()));
    }
  }

  /** Gives hits back. */
  private void refund(List<PlannedDescriptor> plan) {
    for (PlannedDescriptor planned : plan) {
      if (planned.isLimited() && planned.query().refunds()) {
        BucketRequest request = planned.bucket(planned.query().hits());
        correct(planned.limit(), request, buckets -> buckets.grant(request.costThousandths()));
      }
    }
  }

  private interface BucketCorrection {
    CompletionStage<Void> apply(RuleBuckets buckets);
  }

  private void correct(DescriptorLimit limit, BucketRequest request, BucketCorrection correction) {
    limits
        .engine()
        .buckets(limit.name(), request)
        .ifPresent(
            buckets -> {
              var unused =
                  correction
                      .apply(buckets)
                      .whenComplete(
                          (done, failure) -> {
                            if (failure != null) {
                              failedCorrection.warn(
                                  "Cannot correct the hits of a limit; they stay as they were",
                                  failure);
                            }
                          });
            });
  }
}
