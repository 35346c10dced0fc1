package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Store;
import io.penstock.policy.Explanation.Finding;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Says of each rule why it does or doesn't apply. What applies was found out by the same selection
 * that decides requests; only the words for it are found here.
 */
final class Explainer {
  private final CompiledPolicy policy;
  private final Request request;
  private final Selection selection;
  private final Store store;
  private final Map<Rule, Pick> picks = new HashMap<>();

  Explainer(CompiledPolicy policy, Request request, Selection selection, Store store) {
    this.policy = policy;
    this.request = request;
    this.selection = selection;
    this.store = store;
    for (int i = 0; i < selection.size(); i++) {
      picks.put(selection.get(i).tier().rule(), selection.get(i));
    }
  }

  CompletionStage<Explanation> explain(CompletionStage<Verdict> asked) {
    return asked.thenCompose(verdict -> levels().thenApply(before -> explanation(verdict, before)));
  }

  /** How the buckets of the rules that apply stand now. */
  private CompletionStage<Map<Rule, Decision>> levels() {
    CompletionStage<Map<Rule, Decision>> all = CompletableFuture.completedFuture(new HashMap<>());
    for (Map.Entry<Rule, Pick> entry : picks.entrySet()) {
      Pick pick = entry.getValue();
      if (!pick.isRefused()) {
        List<Claim> peeks =
            selection.claims(pick).stream()
                .map(claim -> new Claim(claim.limiter(), claim.key(), 0, 0))
                .toList();
        all =
            all.thenCombine(
                store.preview(peeks),
                (levels, level) -> {
                  levels.put(entry.getKey(), level);
                  return levels;
                });
      }
    }
    return all;
  }

  private Explanation explanation(Verdict verdict, Map<Rule, Decision> before) {
    Map<Rule, Outcome> outcomes = new HashMap<>();
    verdict.outcomes().forEach(outcome -> outcomes.put(outcome.rule(), outcome));
    List<Finding> findings = new ArrayList<>();
    for (Rule rule : policy.policy().rules()) {
      Pick pick = picks.get(rule);
      findings.add(
          pick == null
              ? absent(rule)
              : new Finding(rule, true, applied(pick), before.get(rule), outcomes.get(rule)));
    }
    return new Explanation(verdict, findings);
  }

  private static String applied(Pick pick) {
    if (pick.isRefused()) {
      return "lacks a part of its key";
    }
    return pick.mode() == Mode.ENFORCE ? "matches" : "matches, in shadow mode";
  }

  private Finding absent(Rule rule) {
    String failed = failed(rule);
    if (failed != null) {
      return new Finding(rule, false, failed, null, null);
    }
    Rule before = earlier(rule);
    if (before != null) {
      String why = "an earlier rule of its group applies: " + before.name();
      return new Finding(rule, false, why, null, null);
    }
    return new Finding(rule, true, "matches, and is unlimited", null, null);
  }

  /** Why the rule by itself doesn't apply. */
  private @Nullable String failed(Rule rule) {
    if (rule.rollout().mode() == Mode.OFF || policy.isOff()) {
      return "is off";
    }
    if (policy.exempts(request)) {
      return "the request is exempt";
    }
    for (Condition condition : rule.match().conditions()) {
      if (!condition.accepts(request)) {
        return unmet(condition);
      }
    }
    for (KeyPart part : rule.limitKeys()) {
      if (part.of(request) == null && rule.onMissing(part) == MissingKey.SKIP) {
        return part + " is missing, so the rule is skipped";
      }
    }
    return null;
  }

  /** Values that may be secrets are not repeated. */
  private String unmet(Condition condition) {
    KeyPart subject = condition.subject();
    Attribute found = subject.in(request);
    if (found == null) {
      return subject + " is missing, not " + condition.wants();
    }
    String value = found.source().isPrivate() ? "something else" : "" + found.of(request);
    return found + " is " + value + ", not " + condition.wants();
  }

  /** The rule of the same group that counts instead. */
  private @Nullable Rule earlier(Rule rule) {
    TierGroup group = rule.tierGroup();
    for (Rule other : policy.policy().rules()) {
      if (other.equals(rule)) {
        return null;
      }
      if (other.tierGroup().equals(group)
          && (picks.containsKey(other) || (other.isUnlimited() && failed(other) == null))) {
        return other;
      }
    }
    return null;
  }
}
