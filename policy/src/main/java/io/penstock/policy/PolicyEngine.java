package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Store;
import io.penstock.policy.jwt.JwtObserver;
import io.penstock.policy.jwt.JwtVerifier;
import io.penstock.policy.path.PathSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Applies a policy to requests. Thread-safe.
 *
 * <pre>{@code
 * var engine = new PolicyEngine(store, PolicyLoader.load(file).policy());
 * Verdict verdict = engine.decide(request);
 * }</pre>
 *
 * <p>All enforcing rules that apply are asked as one: either each is charged or none is. Shadow
 * rules are asked afterwards, one by one, and only if the request may pass.
 */
public final class PolicyEngine implements AutoCloseable {
  private final Store store;
  private final PolicyObserver observer;
  private volatile CompiledPolicy current;
  private volatile JwtVerifier jwt;
  private volatile @Nullable Mode override;

  /**
   * @throws IllegalArgumentException if the store can't keep a limit of the policy
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

  /** The policy in force. */
  public Policy policy() {
    return current.policy();
  }

  /**
   * Replaces the active policy at once. What was consumed stays consumed.
   *
   * @throws IllegalArgumentException if the store can't keep a limit of it; then nothing changes
   */
  public synchronized void replace(Policy policy) {
    CompiledPolicy old = current;
    JwtVerifier before = jwt;
    // May fail, and then nothing has changed.
    JwtVerifier after = before.under(policy.jwt(), policy.clientAddress().ipv6Prefix());
    try {
      current = new CompiledPolicy(policy, store);
    } catch (RuntimeException refused) {
      after.closeBeside(before);
      throw refused;
    }
    jwt = after;
    old.retire();
    before.closeBeside(after);
  }

  /**
   * Finds out whether the store can keep the limits of a rule, so that a policy with it could be
   * active.
   *
   * @throws IllegalArgumentException if it can't
   */
  public void check(Rule rule) {
    CompiledPolicy.check(rule, store);
  }

  /** How the paths of requests are made normal under the active policy and override. */
  public PathSettings paths() {
    return current.paths(override);
  }

  /** What tells the claims of tokens under the policy in force. */
  public JwtVerifier jwt() {
    return jwt;
  }

  /**
   * Stops looking for new keys of tokens, and takes all limits out of force. The store is the
   * caller's to close.
   */
  @Override
  public synchronized void close() {
    jwt.close();
    current.retire();
  }

  /**
   * For an emergency: every rule that is not off binds, or none does, whatever they say themselves;
   * null ends that.
   */
  public void override(@Nullable Mode mode) {
    override = mode;
  }

  /** Decides a request, and charges it if it may pass. */
  public Verdict decide(Request request) {
    return decide(request, Phase.WHOLE);
  }

  /**
   * Decides a request by the rules of one phase. Who asks for both phases one after the other has
   * all of them, each once; what the first took of a request that the second denies is the caller's
   * to give back.
   */
  public Verdict decide(Request request, Phase phase) {
    CompiledPolicy policy = current;
    Selection selection = policy.selections().lend();
    policy.select(request, phase, override, selection);
    return decided(policy, selection);
  }

  /**
   * Decides a request by one rule that is asked for by name only; unlimited if there is none that
   * is on.
   */
  public Verdict decide(String manualRule, Request request) {
    CompiledPolicy policy = current;
    Selection selection = policy.selections().lend();
    policy.selectManual(manualRule, request, override, selection);
    return decided(policy, selection);
  }

  private Verdict decided(CompiledPolicy policy, Selection selection) {
    Verdict verdict = selection.size() == 0 ? ofNoRule(selection) : decide(selection);
    policy.selections().giveBack(selection);
    return told(verdict);
  }

  private static Verdict ofNoRule(Selection selection) {
    return selection.isRejected() ? Verdict.PATH_REJECTED : Verdict.UNLIMITED;
  }

  /** Whether any rule may apply in a phase, so that it is worth asking. */
  public boolean has(Phase phase) {
    return current.has(phase);
  }

  private Verdict decide(Selection selection) {
    SelectedRule only = selection.only();
    if (only != null) {
      return Verdict.of(only.outcome(decide(only.claim())));
    }
    List<Outcome> outcomes = selection.outcomes();
    if (selection.refused()) {
      selection.addRefusals(outcomes);
      return Verdict.of(outcomes);
    }
    List<Claim> claims = selection.claims();
    if (claims.isEmpty()) {
      selection.addOutcomes(List.of(), outcomes);
    } else {
      List<Decision> decisions = selection.decisions();
      boolean allowed = decide(claims, decisions);
      selection.addOutcomes(decisions, outcomes);
      if (!allowed) {
        return Verdict.of(outcomes);
      }
    }
    for (int i = 0; i < selection.size(); i++) {
      SelectedRule pick = selection.get(i);
      if (pick.mode() == Mode.SHADOW) {
        outcomes.add(
            pick.isSettled() ? pick.settled() : pick.outcome(decide(selection.claims(pick))));
      }
    }
    return Verdict.of(outcomes);
  }

  private boolean decide(List<Claim> claims, List<Decision> decisions) {
    if (claims.size() > 1) {
      return store.decide(claims, decisions);
    }
    Decision decision = decide(claims.get(0));
    decisions.add(decision);
    return decision.allowed();
  }

  private Decision decide(List<Claim> claims) {
    return claims.size() > 1 ? store.decide(claims) : decide(claims.get(0));
  }

  private static Decision decide(Claim claim) {
    return claim.buckets().take(claim.key(), claim.cost(), claim.maxDelayNanos());
  }

  /**
   * As {@link #decide}, without waiting for the store. Whatever goes wrong fails the stage; nothing
   * is thrown.
   */
  public CompletionStage<Verdict> decideAsync(Request request) {
    return decideAsync(request, Phase.WHOLE);
  }

  /** As {@link #decide(Request, Phase)}, without waiting for the store. */
  public CompletionStage<Verdict> decideAsync(Request request, Phase phase) {
    try {
      return ask(request, phase, store::decideAsync).thenApply(this::told);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /** As {@link #decide(String, Request)}, without waiting for the store. */
  public CompletionStage<Verdict> decideAsync(String manualRule, Request request) {
    try {
      CompiledPolicy policy = current;
      Selection selection = policy.selections().lend();
      policy.selectManual(manualRule, request, override, selection);
      return ask(policy, selection, store::decideAsync).thenApply(this::told);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /**
   * Puts back what a request was charged by the rules that {@code which} accepts, because it came
   * to nothing after all. To be called once. What a failure policy allowed was not charged, and a
   * window can't be given anything back; nor can a rule that has changed since.
   */
  public CompletionStage<Void> giveBack(Verdict verdict, Predicate<Rule> which) {
    return new ChargeRefunds(current).of(verdict, which);
  }

  /** What {@link #decide} would answer now. Nothing is charged, and nobody is told. */
  public CompletionStage<Verdict> preview(Request request) {
    try {
      return ask(request, Phase.WHOLE, store::preview);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /** Why each rule does or doesn't apply to a request, and what would come of it. */
  public CompletionStage<Explanation> explain(Request request) {
    CompiledPolicy policy = current;
    @Nullable Mode all = override;
    Selection selection = new Selection(policy.policy());
    policy.select(request, Phase.WHOLE, all, selection);
    Request seen = policy.seen(request, policy.paths(all));
    return new PolicyExplainer(policy, seen == null ? request : seen, all, selection, store)
        .explain(ask(selection, store::preview));
  }

  /**
   * The buckets of the rule {@code name} that a request would be counted in, whether or not the
   * rule matches it; empty if there is no such rule, or none that is on and has limits.
   *
   * @throws IllegalArgumentException if the request lacks a part of the key that the rule needs
   */
  public Optional<RuleBuckets> buckets(String name, Request request) {
    CompiledPolicy policy = current;
    Request seen = policy.seen(request, policy.paths(override));
    if (seen == null) {
      throw new IllegalArgumentException("the path is rejected: " + request.path());
    }
    return policy
        .tier(name)
        .map(tier -> new RuleBuckets(store, tier, seen, new Selection(policy.policy())));
  }

  private CompletionStage<Verdict> ask(Request request, Phase phase, EngineCall question) {
    CompiledPolicy policy = current;
    Selection selection = policy.selections().lend();
    policy.select(request, phase, override, selection);
    return ask(policy, selection, question);
  }

  private static CompletionStage<Verdict> ask(
      CompiledPolicy policy, Selection selection, EngineCall question) {
    return ask(selection, question)
        .thenApply(
            verdict -> {
              policy.selections().giveBack(selection);
              return verdict;
            });
  }

  private static CompletionStage<Verdict> ask(Selection selection, EngineCall question) {
    if (selection.size() == 0) {
      return CompletableFuture.completedFuture(ofNoRule(selection));
    }
    List<Outcome> outcomes = new ArrayList<>(selection.size());
    if (selection.refused()) {
      selection.addRefusals(outcomes);
      return CompletableFuture.completedFuture(Verdict.of(outcomes));
    }
    List<Claim> claims = List.copyOf(selection.claims());
    if (claims.isEmpty()) {
      selection.addOutcomes(List.of(), outcomes);
      return askShadows(selection, question, outcomes);
    }
    return question
        .ask(claims)
        .thenCompose(
            decision -> {
              selection.addOutcomes(decision.results(), outcomes);
              return decision.allowed()
                  ? askShadows(selection, question, outcomes)
                  : CompletableFuture.completedFuture(Verdict.of(outcomes));
            });
  }

  private static CompletionStage<Verdict> askShadows(
      Selection selection, EngineCall question, List<Outcome> outcomes) {
    CompletionStage<List<Outcome>> all = CompletableFuture.completedFuture(outcomes);
    for (int i = 0; i < selection.size(); i++) {
      SelectedRule pick = selection.get(i);
      if (pick.mode() == Mode.SHADOW) {
        all = all.thenCombine(ask(selection, pick, question), PolicyEngine::added);
      }
    }
    return all.thenApply(Verdict::of);
  }

  private static CompletionStage<Outcome> ask(
      Selection selection, SelectedRule pick, EngineCall question) {
    return pick.isSettled()
        ? CompletableFuture.completedFuture(pick.settled())
        : question.ask(List.copyOf(selection.claims(pick))).thenApply(pick::outcome);
  }

  private static List<Outcome> added(List<Outcome> outcomes, Outcome more) {
    outcomes.add(more);
    return outcomes;
  }

  private Verdict told(Verdict verdict) {
    verdict.tell(observer);
    return verdict;
  }

  /** How the store is asked: to take, or only to say. */
  private interface EngineCall {
    CompletionStage<Decision> ask(List<Claim> claims);
  }
}
