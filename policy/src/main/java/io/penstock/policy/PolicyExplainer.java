package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Store;
import io.penstock.policy.Explanation.ExpectedCharge;
import io.penstock.policy.Explanation.Finding;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Explains for each rule why it does or doesn't apply. The rules that apply come from the same
 * selection that decides requests; this class only finds the explanations.
 */
final class PolicyExplainer {
  private final CompiledPolicy policy;
  private final Request request;
  private final Selection selection;
  private final Store store;
  private final RuleExplainer explainer;
  private final Selection alone;
  private final Map<Integer, Tier> tiers = new HashMap<>();
  private final Map<Integer, SelectedRule> applying = new HashMap<>();

  /**
   * @param selection the rules that apply to the request; must not be reused for another request
   */
  PolicyExplainer(
      CompiledPolicy policy,
      Request request,
      ModeOverrides overrides,
      Selection selection,
      Store store) {
    this.policy = policy;
    this.request = request;
    this.selection = selection;
    this.store = store;
    this.explainer = new RuleExplainer(policy, request, overrides, selection.isRejected());
    this.alone = policy.newSelection();
    policy
        .groups()
        .forEach(group -> group.tiers().forEach(tier -> tiers.put(tier.position(), tier)));
    for (int i = 0; i < selection.size(); i++) {
      applying.put(selection.get(i).tier().position(), selection.get(i));
    }
  }

  CompletionStage<Explanation> explain(CompletionStage<Verdict> verdictStage) {
    return verdictStage.thenCompose(
        verdict -> levels().thenApply(before -> explanation(verdict, before)));
  }

  /** Returns the current state of the buckets of all rules that apply, by position. */
  private CompletionStage<Map<Integer, Decision>> levels() {
    CompletionStage<Map<Integer, Decision>> all =
        CompletableFuture.completedFuture(new HashMap<>());
    for (SelectedRule selected : applying.values()) {
      if (!selected.isDecidedWithoutStore()) {
        List<Claim> peeks =
            selection.claims(selected).stream()
                .map(claim -> new Claim(claim.limiter(), claim.key(), 0, 0))
                .toList();
        all =
            all.thenCombine(
                store.peekAsync(peeks),
                (levels, level) -> {
                  levels.put(selected.tier().position(), level);
                  return levels;
                });
      }
    }
    return all;
  }

  private boolean isLeased(SelectedRule selected) {
    return !selected.isDecidedWithoutStore()
        && selection.claims(selected).stream()
            .anyMatch(claim -> claim.buckets().isLeased(claim.key()));
  }

  private Explanation explanation(Verdict verdict, Map<Integer, Decision> before) {
    Map<String, Outcome> outcomes = new HashMap<>();
    verdict.outcomes().forEach(outcome -> outcomes.put(outcome.rule().name(), outcome));
    Map<TierGroup, Map<Mode, Rule>> first = new HashMap<>();
    List<Finding> findings = new ArrayList<>();
    List<Rule> rules = policy.policy().rules();
    for (int position = 0; position < rules.size(); position++) {
      Rule rule = rules.get(position);
      SelectedRule selected = applying.get(position);
      String reasonNotApplied =
          selected != null && selected.isUnverified()
              ? null
              : reasonNotApplied(rule, tiers.get(position), first);
      if (reasonNotApplied != null) {
        findings.add(new Finding(rule, false, reasonNotApplied, null, null));
      } else if (selected == null) {
        findings.add(new Finding(rule, true, explainer.unlimited(rule), null, null));
      } else {
        ExpectedCharge charge =
            new ExpectedCharge(
                selected.mode(),
                selected.key(),
                selected.cost(),
                before.get(position),
                isLeased(selected));
        findings.add(
            new Finding(
                rule, true, explainer.applies(selected), charge, outcomes.get(rule.name())));
      }
    }
    return new Explanation(verdict, findings, request.tokenResult());
  }

  /**
   * Returns why the rule doesn't apply, by itself or because of an earlier tier; null if it
   * applies.
   *
   * @param first the rule that applies in each group, by the rules' own modes
   */
  private @Nullable String reasonNotApplied(
      Rule rule, @Nullable Tier tier, Map<TierGroup, Map<Mode, Rule>> first) {
    String reasonNotApplied = explainer.reasonNotApplied(rule);
    if (reasonNotApplied != null || tier == null) {
      return reasonNotApplied;
    }
    alone.begin(null, Map.of());
    Mode own = alone.consider(tier, request, false, false, false);
    Rule earlier =
        first
            .computeIfAbsent(rule.tierGroup(), unused -> new EnumMap<>(Mode.class))
            .putIfAbsent(own, rule);
    return earlier == null ? null : "an earlier rule of its group applies: " + earlier.name();
  }
}
