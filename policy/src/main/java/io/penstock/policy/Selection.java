package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.policy.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The rules that apply to one request, with their keys and costs. Used by one request at a time.
 * {@link SelectionPool} reuses instances, so that selecting rules allocates nothing but the keys.
 */
final class Selection {
  private final SelectionPool pool;
  private final KeyEncoder keys;
  private final SortedIds groups = new SortedIds();
  private final SortedIds tiers = new SortedIds();
  private final List<Claim> claims = new ArrayList<>();
  private final List<Decision> decisions = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private SelectedRule[] rules = {
    new SelectedRule(), new SelectedRule(), new SelectedRule(), new SelectedRule()
  };
  private int size;
  private boolean rejected;

  /** Whether an enforced rule denies the request without asking the store. */
  private boolean deniedWithoutStore;

  /** Whether any enforced rule denies the request. */
  private boolean denied;

  /** Whether the rule being considered depends on claims that cannot be verified. */
  private boolean unverified;

  /** The rules that lack a part of their key; almost always empty. */
  private List<SkippedRule> skipped = List.of();

  private @Nullable Mode all;

  /** The modes that replace those of single rules; almost always empty. */
  private Map<String, Mode> ruleModes = Map.of();

  private Selection(Policy policy, SelectionPool pool) {
    this.pool = pool;
    this.keys = new KeyEncoder(policy.keySecret(), policy.clientAddress().ipv6Prefix());
  }

  /**
   * Starts a new selection.
   *
   * @param all the mode of all rules; null if each rule has its own
   * @param ruleModes the modes of single rules, which have precedence
   */
  void begin(@Nullable Mode all, Map<String, Mode> ruleModes) {
    this.all = all;
    this.ruleModes = ruleModes;
    size = 0;
    rejected = false;
    deniedWithoutStore = false;
    denied = false;
    skipped = List.of();
  }

  /** Marks the request as rejected, regardless of its rules. */
  void reject() {
    rejected = true;
  }

  boolean isRejected() {
    return rejected;
  }

  int size() {
    return size;
  }

  SelectedRule get(int i) {
    return rules[i];
  }

  /**
   * Returns the only rule if it is enforced and has one limit, which is the common case; otherwise
   * null.
   */
  @Nullable SelectedRule only() {
    return size == 1 && rules[0].isSimple() && skipped.isEmpty() ? rules[0] : null;
  }

  /**
   * Returns the claims of all enforced rules, which the store has to decide together. Empty if
   * there are none, or if a rule denies the request without asking the store. Valid until the next
   * call.
   */
  List<Claim> enforcedClaims() {
    claims.clear();
    for (int i = 0; i < size; i++) {
      Decision known = rules[i].decision();
      deniedWithoutStore |= rules[i].mode() == Mode.ENFORCE && known != null && !known.allowed();
    }
    denied = deniedWithoutStore;
    for (int i = 0; i < size && !denied; i++) {
      if (isUndecided(i, Mode.ENFORCE)) {
        rules[i].addClaims(claims);
      }
    }
    return claims;
  }

  /** Returns whether an enforced rule denies the request without asking the store. */
  boolean isDeniedWithoutStore() {
    List<Claim> unused = enforcedClaims();
    return denied;
  }

  /** Marks the request as denied, once the store has decided. */
  void deny() {
    denied = true;
  }

  /** Returns whether all rules have the same mode, whatever their own is. */
  boolean isForced() {
    return all != null;
  }

  private boolean isUndecided(int i, Mode mode) {
    return rules[i].mode() == mode && !rules[i].isDecidedWithoutStore();
  }

  /** Returns an empty reusable list for the decisions on {@link #enforcedClaims}. */
  List<Decision> decisions() {
    decisions.clear();
    return decisions;
  }

  /** Sets the decisions on {@link #enforcedClaims}. */
  void enforced(List<Decision> results) {
    int next = 0;
    for (int i = 0; i < size; i++) {
      if (isUndecided(i, Mode.ENFORCE)) {
        int limits = rules[i].tier().rule().limits().size();
        Decision decision = combine(results, next, limits);
        rules[i].decided(decision);
        denied |= !decision.allowed();
        next += limits;
      }
    }
  }

  static Decision combine(List<Decision> results, int from, int count) {
    return count == 1
        ? results.get(from)
        : Decision.all(results.subList(from, from + count).toArray(Decision[]::new));
  }

  /**
   * Returns whether the store has to decide a rule in shadow mode, by itself, once the enforced
   * rules are decided. If they deny the request, shadow rules are not evaluated.
   */
  boolean needsShadowDecision(int i) {
    return !denied && isUndecided(i, Mode.SHADOW);
  }

  /** Returns the claims of one rule. Valid until the next call. */
  List<Claim> claims(SelectedRule selected) {
    claims.clear();
    selected.addClaims(claims);
    return claims;
  }

  /** Returns the verdict, once all rules that need the store are decided. */
  Verdict verdict() {
    if (rejected) {
      return Verdict.PATH_REJECTED;
    }
    outcomes.clear();
    addOutcomes(Mode.ENFORCE);
    if (!denied) {
      addOutcomes(Mode.SHADOW);
    }
    return Verdict.of(outcomes, skipped);
  }

  private void addOutcomes(Mode mode) {
    for (int i = 0; i < size; i++) {
      Decision decision = rules[i].decision();
      // A denial that doesn't need the store is reported without the rules that allow.
      if (rules[i].mode() == mode
          && decision != null
          && !(deniedWithoutStore && decision.allowed())) {
        outcomes.add(rules[i].outcome(decision));
      }
    }
  }

  /** Makes this instance available to the next request; the caller must not use it any more. */
  void release() {
    pool.release(this);
  }

  /** Returns reusable storage for candidate groups. */
  SortedIds groups() {
    return groups;
  }

  /** Returns reusable storage for the candidate tiers of one group. */
  SortedIds tiers() {
    return tiers;
  }

  /**
   * Selects {@code tier} if it applies and no tier of the same mode was selected before it.
   *
   * @param unverified whether the tier was found to apply ignoring claims that cannot be verified;
   *     its conditions are then not tested again
   * @return the mode under which it was selected; off if it was not
   */
  Mode consider(
      Tier tier, Request request, boolean enforced, boolean shadowed, boolean unverified) {
    Condition.Fit fit = unverified ? Condition.Fit.YES : tier.fit(request);
    if (fit == Condition.Fit.NO) {
      return Mode.OFF;
    }
    Rule rule = tier.rule();
    this.unverified = unverified;
    keys.begin();
    KeyResult keyResult = write(rule, request);
    if (keyResult == KeyResult.SKIPPED || (keyResult == KeyResult.REPEATED && rule.isUnlimited())) {
      return Mode.OFF;
    }
    String key = rule.limitKeys().isEmpty() ? "" : keys.end();
    Mode mode = keyResult == KeyResult.REPEATED ? tier.modeOfUnknownKey() : tier.mode(key);
    if (mode == Mode.ENFORCE ? enforced : shadowed) {
      return Mode.OFF;
    }
    if (!rule.isUnlimited()) {
      long cost = tier.cost(request);
      SelectedRule selected = next();
      selected.set(
          tier.of(key),
          mode,
          effective(rule, all == null ? mode : all),
          key,
          cost == Cost.AMBIGUOUS ? rule.cost().fallbackThousandths() : cost);
      if (keyResult != KeyResult.COMPLETE
          || fit == Condition.Fit.AMBIGUOUS
          || cost == Cost.AMBIGUOUS) {
        selected.deny();
      } else if (this.unverified) {
        selected.applyFailurePolicy();
      }
    }
    return mode;
  }

  private Mode effective(Rule rule, Mode mode) {
    return ruleModes.isEmpty() ? mode : ruleModes.getOrDefault(rule.name(), mode);
  }

  /**
   * Returns the key of the rule's buckets that a request would be counted in.
   *
   * @throws IllegalArgumentException if the request lacks a part that the rule requires
   */
  String key(Rule rule, Request request) {
    keys.begin();
    if (write(rule, request) != KeyResult.COMPLETE) {
      throw new IllegalArgumentException(
          "the key must have a value for each of " + rule.limitKeys() + ": " + rule.name());
    }
    return rule.limitKeys().isEmpty() ? "" : keys.end();
  }

  /** The result of writing a key or a part of it. */
  private enum KeyResult {
    /**
     * The key is complete. Missing parts are written as the marker that all requests without them
     * share.
     */
    COMPLETE,
    /** A required part is missing, so the request is denied. */
    MISSING,
    /** A part is missing, so the rule doesn't apply. */
    SKIPPED,
    /** A part is repeated and the rule accepts none of its values, so the request is denied. */
    REPEATED
  }

  private KeyResult write(Rule rule, Request request) {
    List<KeyPart> parts = rule.limitKeys();
    KeyResult overall = KeyResult.COMPLETE;
    for (int i = 0; i < parts.size(); i++) {
      KeyPart part = parts.get(i);
      KeyResult keyResult = write(part, rule.onRepeatedKey(), request);
      if (keyResult == KeyResult.MISSING) {
        if (part.isUnverifiable(request)) {
          unverified = true;
          keys.addUnverified(part, request.address());
          continue;
        }
        MissingKey missing = rule.onMissing(part);
        if (missing == MissingKey.SHARE) {
          keys.addMissing(part);
          continue;
        }
        if (missing == MissingKey.SKIP) {
          skip(rule, part);
          return KeyResult.SKIPPED;
        }
      }
      if (keyResult != KeyResult.COMPLETE && overall == KeyResult.COMPLETE) {
        overall = keyResult;
      }
    }
    return overall;
  }

  private void skip(Rule rule, KeyPart missing) {
    if (SkippedRule.isReported(rule, missing)) {
      List<SkippedRule> all = new ArrayList<>(skipped);
      all.add(new SkippedRule(rule, missing));
      skipped = all;
    }
  }

  private KeyResult write(KeyPart part, RepeatedKey onRepeated, Request request) {
    List<Attribute> alternatives = part.alternatives();
    for (int i = 0; i < alternatives.size(); i++) {
      KeyResult keyResult = write(alternatives.get(i), onRepeated, request);
      if (keyResult != KeyResult.MISSING) {
        return keyResult;
      }
      if (alternatives.get(i).isUnverifiable(request)) {
        return KeyResult.MISSING;
      }
    }
    return KeyResult.MISSING;
  }

  private KeyResult write(Attribute attribute, RepeatedKey onRepeated, Request request) {
    if (attribute.source() == Attribute.AttributeSource.ADDRESS) {
      // This is the most common key, so the address is written without an intermediate string.
      IpAddress address = request.address();
      if (address == null) {
        return KeyResult.MISSING;
      }
      keys.add(attribute, address);
      return KeyResult.COMPLETE;
    }
    String value = attribute.of(request);
    if (value == null) {
      return KeyResult.MISSING;
    }
    List<String> several = attribute.repeated(request, value);
    String chosen = several == null ? value : attribute.choose(onRepeated, request, value, several);
    if (chosen == null) {
      return KeyResult.REPEATED;
    }
    if (chosen.isEmpty()) {
      return KeyResult.MISSING;
    }
    keys.add(attribute, chosen);
    return KeyResult.COMPLETE;
  }

  /**
   * Sorts the rules into policy order. An insertion sort suits a few rules that are almost sorted.
   */
  void sort() {
    for (int i = 1; i < size; i++) {
      SelectedRule selected = rules[i];
      int at = i;
      for (; at > 0 && rules[at - 1].tier().position() > selected.tier().position(); at--) {
        rules[at] = rules[at - 1];
      }
      rules[at] = selected;
    }
  }

  private SelectedRule next() {
    if (size == rules.length) {
      SelectedRule[] more = new SelectedRule[2 * size];
      System.arraycopy(rules, 0, more, 0, size);
      for (int i = size; i < more.length; i++) {
        more[i] = new SelectedRule();
      }
      rules = more;
    }
    return rules[size++];
  }

  /** A pool of unused selections. Thread-safe. */
  static final class SelectionPool {
    private static final int SIZE = 64;

    /**
     * In references: 128 bytes, so that threads share neither a cache line nor a pair of adjacent
     * lines.
     */
    private static final int SPACING = 32;

    private final Policy policy;
    private final AtomicReferenceArray<@Nullable Selection> idle =
        new AtomicReferenceArray<>(SIZE * SPACING);

    SelectionPool(Policy policy) {
      this.policy = policy;
    }

    Selection acquire() {
      Selection own = idle.getAndSet(slot(), null);
      return own == null ? new Selection(policy, this) : own;
    }

    private void release(Selection selection) {
      idle.setRelease(slot(), selection);
    }

    private static int slot() {
      return (int) (Thread.currentThread().getId() % SIZE) * SPACING;
    }
  }
}
