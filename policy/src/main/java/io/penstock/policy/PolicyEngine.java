package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Store;
import io.penstock.TokenBucket;
import io.penstock.policy.jwt.JwtObserver;
import io.penstock.policy.jwt.JwtVerifier;
import io.penstock.policy.path.PathSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Applies a policy to requests. Thread-safe.
 *
 * <pre>{@code
 * var engine = new PolicyEngine(store, PolicyLoader.load(file).policy());
 * Verdict verdict = engine.decide(request);
 * }</pre>
 *
 * <p>All enforcing rules that apply are evaluated in one operation that charges either all of them
 * or none. Shadow rules are evaluated afterwards, one by one, and only if the request is allowed.
 */
public final class PolicyEngine implements AutoCloseable {
  private final Store store;
  private final PolicyObserver observer;
  private final Object overrideLock = new Object();
  private volatile CompiledPolicy current;
  private volatile JwtVerifier jwt;
  private volatile ModeOverrides overrides = ModeOverrides.NONE;

  /** Guarded by this. */
  private final Map<RuleKey, TokenBucket> overriddenLimits = new HashMap<>();

  /**
   * @throws IllegalArgumentException if the store doesn't support a limit of the policy
   */
  public PolicyEngine(Store store, Policy policy) {
    this(store, policy, PolicyObserver.NONE);
  }

  public PolicyEngine(Store store, Policy policy, PolicyObserver observer) {
    this(store, policy, observer, JwtObserver.NONE);
  }

  /**
   * @param jwtObserver observes rejected tokens and failed key fetches
   */
  public PolicyEngine(
      Store store, Policy policy, PolicyObserver observer, JwtObserver jwtObserver) {
    this.store = Objects.requireNonNull(store, "store");
    this.observer = Objects.requireNonNull(observer, "observer");
    this.jwt = new JwtVerifier(policy.jwt(), policy.clientAddress().ipv6Prefix(), jwtObserver);
    this.current = new CompiledPolicy(policy, store);
  }

  /** Returns the active policy. */
  public Policy policy() {
    return current.policy();
  }

  /**
   * Replaces the active policy atomically. What was consumed stays consumed.
   *
   * @return why overrides of keys have no effect under this policy, one reason for each: the store
   *     doesn't support their limits any more
   * @throws IllegalArgumentException if the store doesn't support a limit of the policy; the old
   *     policy then stays active
   */
  public synchronized List<String> replace(Policy policy) {
    List<String> rejectedOverrides = new ArrayList<>();
    CompiledPolicy old = current;
    JwtVerifier before = jwt;
    // If this fails, nothing has changed.
    JwtVerifier after = before.under(policy.jwt(), policy.clientAddress().ipv6Prefix());
    try {
      CompiledPolicy compiled = new CompiledPolicy(policy, store);
      overriddenLimits.forEach(
          (of, limit) -> {
            try {
              override(compiled, of, limit);
            } catch (IllegalArgumentException unsupported) {
              rejectedOverrides.add(unsupported.getMessage());
            }
          });
      current = compiled;
    } catch (RuntimeException failure) {
      after.closeUnlessShared(before);
      throw failure;
    }
    jwt = after;
    old.retire();
    before.closeUnlessShared(after);
    return rejectedOverrides;
  }

  /**
   * Checks that the store supports the limits of a rule, so that a policy with the rule can become
   * active.
   *
   * @throws IllegalArgumentException if it doesn't
   */
  public void check(Rule rule) {
    CompiledPolicy.check(rule, store);
  }

  /**
   * Adds a manual rule until the policy is replaced. Other rules are not affected.
   *
   * @throws IllegalArgumentException if the store doesn't support a limit of the rule
   */
  public synchronized void addManual(Rule rule) {
    current.addManual(rule, store);
  }

  /** Removes a manual rule if there is one with this name. What was consumed stays consumed. */
  public synchronized void removeManual(String name) {
    current.removeManual(name);
  }

  /** Returns how the paths of requests are normalized under the active policy and override. */
  public PathSettings paths() {
    return current.paths(overrides);
  }

  /** Returns the verifier for tokens under the active policy. */
  public JwtVerifier jwt() {
    return jwt;
  }

  /** Stops fetching token keys and retires all limits. The caller closes the store. */
  @Override
  public synchronized void close() {
    jwt.close();
    current.retire();
  }

  /**
   * Overrides the mode of all rules that are not off, for emergencies; null removes the override.
   */
  public void override(@Nullable Mode mode) {
    synchronized (overrideLock) {
      overrides = overrides.with(mode);
    }
  }

  /**
   * Overrides the mode of one rule that is not off; null removes the override. An override of all
   * rules has precedence.
   */
  public void override(String rule, @Nullable Mode mode) {
    synchronized (overrideLock) {
      overrides = overrides.with(rule, mode);
    }
  }

  /**
   * Overrides all limits of a rule for one key by a single one; null ends the override. It outlasts
   * {@link #replace}, and has no effect while there is no rule with this name or the store doesn't
   * support the limit for this rule.
   *
   * @throws IllegalArgumentException if the store doesn't support the limit
   */
  public synchronized void override(RuleKey of, @Nullable TokenBucket limit) {
    override(current, of, limit);
    if (limit == null) {
      overriddenLimits.remove(of);
    } else {
      overriddenLimits.put(of, limit);
    }
  }

  private void override(CompiledPolicy policy, RuleKey of, @Nullable TokenBucket limit) {
    Tier tier = policy.tier(of.rule()).orElse(null);
    if (tier != null) {
      if (limit != null) {
        checkOverride(tier.rule(), limit);
      }
      tier.override(of.key(), limit);
    }
  }

  private void checkOverride(Rule rule, TokenBucket limit) {
    try {
      store.check(rule.name(), limit, rule.storeOptions());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the override of a key of rule " + rule.name() + ": " + e.getMessage(), e);
    }
  }

  /** Decides a request and charges it if it is allowed. */
  public Verdict decide(Request request) {
    return decide(request, Phase.WHOLE);
  }

  /**
   * Decides a request by the rules of one phase. A caller that runs both phases evaluates every
   * rule once. If the second phase denies the request, the caller has to refund what the first one
   * charged.
   */
  public Verdict decide(Request request, Phase phase) {
    return decided(current.select(request, phase, overrides));
  }

  /**
   * Decides a request by one rule that is requested by name. The verdict is unlimited if no rule
   * with this name is on.
   */
  public Verdict decide(String manualRule, Request request) {
    return decided(current.selectManual(manualRule, request, overrides));
  }

  /**
   * Decides several manual rules together: a request that is denied charges nothing. Shadow rules
   * are charged in the same operation, except for those that deny. If there are alternatives and
   * all of them deny, they are enforced. The outcomes of rules with the same mode are in the order
   * of the calls.
   *
   * @param calls must not refer to the same bucket twice
   */
  public Verdict decideAll(List<RuleCall> calls) {
    Selection selection = current.selectManual(calls, overrides);
    SelectedRule only = selection.only();
    Verdict verdict =
        only == null
            ? new JointDecision(store, selection).decide()
            : Verdict.of(only.outcome(decide(only.claim())));
    return decided(selection, verdict);
  }

  private Verdict decided(Selection selection) {
    return decided(selection, decide(selection));
  }

  private Verdict decided(Selection selection, Verdict verdict) {
    selection.release();
    return notifyObserver(verdict);
  }

  /** Returns whether any rule can apply in a phase. */
  public boolean has(Phase phase) {
    return current.has(phase);
  }

  /** Returns whether {@link #decide} returns without waiting for another process. */
  public boolean decidesImmediately() {
    return store.decidesImmediately();
  }

  private Verdict decide(Selection selection) {
    SelectedRule only = selection.only();
    if (only != null) {
      return Verdict.of(only.outcome(decide(only.claim())));
    }
    List<Claim> claims = selection.enforcedClaims();
    if (!claims.isEmpty()) {
      List<Decision> decisions = selection.decisions();
      decide(claims, decisions);
      selection.enforced(decisions);
    }
    for (int i = 0; i < selection.size(); i++) {
      if (selection.needsShadowDecision(i)) {
        SelectedRule shadow = selection.get(i);
        shadow.decided(decide(selection.claims(shadow)));
      }
    }
    return selection.verdict();
  }

  private void decide(List<Claim> claims, List<Decision> decisions) {
    if (claims.size() > 1) {
      boolean unused = store.take(claims, decisions);
    } else {
      decisions.add(decide(claims.get(0)));
    }
  }

  private Decision decide(List<Claim> claims) {
    return claims.size() > 1 ? store.take(claims) : decide(claims.get(0));
  }

  private static Decision decide(Claim claim) {
    return claim.buckets().take(claim.key(), claim.costThousandths(), claim.maxDelayNanos());
  }

  /**
   * Like {@link #decide}, without blocking on the store. Failures complete the stage exceptionally;
   * the method doesn't throw.
   */
  public CompletionStage<Verdict> decideAsync(Request request) {
    return decideAsync(request, Phase.WHOLE);
  }

  /** Like {@link #decide(Request, Phase)}, without blocking on the store. */
  public CompletionStage<Verdict> decideAsync(Request request, Phase phase) {
    return decideAsync(() -> current.select(request, phase, overrides));
  }

  /** Like {@link #decide(String, Request)}, without blocking on the store. */
  public CompletionStage<Verdict> decideAsync(String manualRule, Request request) {
    return decideAsync(() -> current.selectManual(manualRule, request, overrides));
  }

  /**
   * Like {@link #decideAll}, without blocking on the store.
   *
   * @param deadline how long a shadow rule that denies may delay the verdict
   */
  public CompletionStage<Verdict> decideAllAsync(List<RuleCall> calls, Duration deadline) {
    try {
      if (decidesImmediately()) {
        return CompletableFuture.completedFuture(decideAll(calls));
      }
      Selection selection = current.selectManual(calls, overrides);
      return new JointDecision(store, selection)
          .decideAsync(System.nanoTime() + deadline.toNanos())
          .thenApply(verdict -> decided(selection, verdict));
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private CompletionStage<Verdict> decideAsync(Supplier<Selection> select) {
    try {
      Selection selection = select.get();
      return decidesImmediately()
          ? CompletableFuture.completedFuture(decided(selection))
          : evaluate(selection, store::takeAsync).thenApply(this::notifyObserver);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /**
   * Refunds what a request was charged by the rules that {@code which} accepts, because the request
   * was not carried out. Call it at most once for a verdict. Nothing is refunded to windows, to
   * rules that have changed since, or for decisions of a failure policy, which charge nothing.
   */
  public CompletionStage<Void> refund(Verdict verdict, Predicate<Rule> which) {
    return CompletableFuture.allOf(
        current.refundable(verdict, which).stream()
            .map(
                claim ->
                    claim
                        .buckets()
                        .refund(claim.key(), claim.costThousandths())
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Returns the verdict that {@link #decide} would return now. Nothing is charged, and the observer
   * is not notified.
   */
  public CompletionStage<Verdict> peek(Request request) {
    try {
      return evaluate(current.select(request, Phase.WHOLE, overrides), store::peekAsync);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /** Explains why each rule does or doesn't apply to a request, and what the outcome would be. */
  public CompletionStage<Explanation> explain(Request request) {
    CompiledPolicy policy = current;
    ModeOverrides modes = overrides;
    Selection selection = policy.select(request, Phase.WHOLE, modes);
    Request normalized = policy.normalize(request, policy.paths(modes));
    return new PolicyExplainer(
            policy, normalized == null ? request : normalized, modes, selection, store)
        .explain(verdict(selection, store::peekAsync));
  }

  /**
   * Returns the buckets of the rule {@code name} that a request would be counted in, whether or not
   * the rule matches the request. Empty if there is no such rule, or if it is off or unlimited.
   *
   * @throws IllegalArgumentException if the request lacks a part of the key that the rule requires
   */
  public Optional<RuleBuckets> buckets(String name, Request request) {
    CompiledPolicy policy = current;
    Request normalized = policy.normalize(request, policy.paths(overrides));
    if (normalized == null) {
      throw new IllegalArgumentException("the path is rejected: " + request.path());
    }
    return policy
        .tier(name)
        .map(
            tier ->
                new RuleBuckets(store, tier, policy.newSelection().key(tier.rule(), normalized)));
  }

  /**
   * Returns the buckets of a key that requests were counted in. Empty if there is no rule with this
   * name, or if it is off or unlimited.
   */
  public Optional<RuleBuckets> buckets(RuleKey of) {
    return current.tier(of.rule()).map(tier -> new RuleBuckets(store, tier, of.key()));
  }

  private static CompletionStage<Verdict> evaluate(Selection selection, StoreCall storeCall) {
    return verdict(selection, storeCall)
        .thenApply(
            verdict -> {
              selection.release();
              return verdict;
            });
  }

  /** Does what {@link #decide(Selection)} does, without blocking. */
  private static CompletionStage<Verdict> verdict(Selection selection, StoreCall storeCall) {
    List<Claim> claims = List.copyOf(selection.enforcedClaims());
    if (claims.isEmpty()) {
      return evaluateShadows(selection, storeCall);
    }
    return storeCall
        .evaluate(claims)
        .thenCompose(
            decision -> {
              selection.enforced(decision.results());
              return evaluateShadows(selection, storeCall);
            });
  }

  private static CompletionStage<Verdict> evaluateShadows(
      Selection selection, StoreCall storeCall) {
    CompletionStage<Selection> all = CompletableFuture.completedFuture(selection);
    for (int i = 0; i < selection.size(); i++) {
      if (selection.needsShadowDecision(i)) {
        SelectedRule shadow = selection.get(i);
        all =
            all.thenCombine(
                storeCall.evaluate(List.copyOf(selection.claims(shadow))),
                (same, decision) -> {
                  shadow.decided(decision);
                  return same;
                });
      }
    }
    return all.thenApply(Selection::verdict);
  }

  /**
   * Reports that a request is denied because it can't be held back, and returns the denial. The
   * observer has received the verdict as allowed. Nothing is refunded.
   */
  public Verdict denyDelayed(Verdict delayed) {
    Verdict denial = delayed.withoutDelay();
    List<Outcome> before = delayed.outcomes();
    List<Outcome> after = denial.outcomes();
    for (int i = 0; i < after.size(); i++) {
      if (before.get(i).decision().allowed() && !after.get(i).decision().allowed()) {
        observer.corrected(before.get(i), after.get(i));
      }
    }
    return denial;
  }

  /**
   * Reports that a request is denied that all rules allowed. The observer has received the verdict
   * as allowed. Nothing is refunded.
   *
   * @param denial replaces the outcome of the same rule and key
   */
  public void deny(Verdict allowed, Outcome denial) {
    List<Outcome> before = allowed.outcomes();
    for (int i = 0; i < before.size(); i++) {
      if (before.get(i).rule().equals(denial.rule()) && before.get(i).key().equals(denial.key())) {
        observer.corrected(before.get(i), denial);
        return;
      }
    }
  }

  private Verdict notifyObserver(Verdict verdict) {
    verdict.reportTo(observer);
    return verdict;
  }

  /** An operation on the store: take or peek. */
  private interface StoreCall {
    CompletionStage<Decision> evaluate(List<Claim> claims);
  }
}
