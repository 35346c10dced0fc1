package io.penstock.policy;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.policy.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The rules that count for one request, with their keys and costs. Belongs to one request at a
 * time; {@link SelectionPool} lends it, so that finding them allocates nothing but their keys.
 */
final class Selection {
  private final KeyEncoder keys;
  private final SortedIds groups = new SortedIds();
  private final SortedIds tiers = new SortedIds();
  private final List<Claim> claims = new ArrayList<>();
  private final List<Decision> decisions = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private SelectedRule[] picks = {
    new SelectedRule(), new SelectedRule(), new SelectedRule(), new SelectedRule()
  };
  private int size;
  private boolean rejected;

  /** Whether the rule that is being considered has claims that can't be verified. */
  private boolean unverified;

  private @Nullable Mode all;

  Selection(Policy policy) {
    this.keys = new KeyEncoder(policy.keySecret(), policy.clientAddress().ipv6Prefix());
  }

  /** Begins anew; {@code all} is the mode of all rules, null leaves it to them. */
  void begin(@Nullable Mode all) {
    this.all = all;
    size = 0;
    rejected = false;
  }

  /** Notes that the request is to be denied, whatever its rules say. */
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
    return picks[i];
  }

  /** The one rule that counts, if it binds and has one limit, as most do; null otherwise. */
  @Nullable SelectedRule only() {
    return size == 1 && picks[0].isSimple() ? picks[0] : null;
  }

  /** Whether a rule that binds refuses the request for a part of the key that it lacks. */
  boolean refused() {
    for (int i = 0; i < size; i++) {
      if (picks[i].isRefusal()) {
        return true;
      }
    }
    return false;
  }

  /** What the request claims of all rules that bind; valid until the next call. */
  List<Claim> claims() {
    claims.clear();
    for (int i = 0; i < size; i++) {
      if (picks[i].mode() == Mode.ENFORCE && !picks[i].isSettled()) {
        picks[i].addClaims(claims);
      }
    }
    return claims;
  }

  /** Where the answers to claims are gathered. */
  List<Decision> decisions() {
    decisions.clear();
    return decisions;
  }

  /** Where outcomes are gathered. */
  List<Outcome> outcomes() {
    outcomes.clear();
    return outcomes;
  }

  /** What the request claims of one rule; valid until the next call. */
  List<Claim> claims(SelectedRule pick) {
    claims.clear();
    pick.addClaims(claims);
    return claims;
  }

  /** Adds what each rule that binds says, given the answer to their claims. */
  void addOutcomes(List<Decision> results, List<Outcome> outcomes) {
    int next = 0;
    for (int i = 0; i < size; i++) {
      if (picks[i].mode() == Mode.ENFORCE && picks[i].isSettled()) {
        outcomes.add(picks[i].settled());
      } else if (picks[i].mode() == Mode.ENFORCE) {
        int limits = picks[i].tier().rule().limits().size();
        outcomes.add(picks[i].outcome(joint(results, next, limits)));
        next += limits;
      }
    }
  }

  private static Decision joint(List<Decision> results, int from, int count) {
    return count == 1
        ? results.get(from)
        : Decision.all(results.subList(from, from + count).toArray(Decision[]::new));
  }

  /** Adds the refusals of rules that bind, when there are any. */
  void addRefusals(List<Outcome> outcomes) {
    for (int i = 0; i < size; i++) {
      if (picks[i].isRefusal()) {
        outcomes.add(picks[i].settled());
      }
    }
  }

  /** Where groups to look at are noted. */
  SortedIds groups() {
    return groups;
  }

  /** Where tiers to look at are noted, of one group after another. */
  SortedIds tiers() {
    return tiers;
  }

  /**
   * Picks {@code tier} if it applies and none of its mode was picked before it.
   *
   * @param unverified whether it was found to apply without claims that count, as they can't be
   *     verified: then it is not asked again whether it does
   * @return the mode it was picked by; off if it was not
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
    Written written = write(rule, request);
    if (written == Written.SKIPPED || (written == Written.REPEATED && rule.isUnlimited())) {
      return Mode.OFF;
    }
    String key = rule.limitKeys().isEmpty() ? "" : keys.end();
    Mode mode = written == Written.REPEATED ? tier.modeOfUnknownKey() : tier.mode(key);
    if (mode == Mode.ENFORCE ? enforced : shadowed) {
      return Mode.OFF;
    }
    if (!rule.isUnlimited()) {
      long cost = tier.cost(request);
      SelectedRule pick = next();
      pick.set(
          tier,
          mode,
          all == null ? mode : all,
          key,
          cost == Cost.AMBIGUOUS ? rule.cost().fallback() : cost);
      if (written != Written.WHOLE || fit == Condition.Fit.AMBIGUOUS || cost == Cost.AMBIGUOUS) {
        pick.refuse();
      } else if (this.unverified) {
        pick.failOver();
      }
    }
    return mode;
  }

  /**
   * The key of the buckets of a rule that a request would be counted in.
   *
   * @throws IllegalArgumentException if the request lacks a part that the rule needs
   */
  String key(Rule rule, Request request) {
    keys.begin();
    if (write(rule, request) != Written.WHOLE) {
      throw new IllegalArgumentException(
          "the key must have a value for each of " + rule.limitKeys() + ": " + rule.name());
    }
    return rule.limitKeys().isEmpty() ? "" : keys.end();
  }

  /** What became of a key, or of a part of it. */
  private enum Written {
    /** All of it is written; what is missing, as what requests share that lack it. */
    WHOLE,
    /** Something is missing that the rule insists on, so the request is denied. */
    MISSING,
    /** Something is missing, so the rule doesn't apply. */
    SKIPPED,
    /** Something has several values of which none counts, so the request is denied. */
    REPEATED
  }

  private Written write(Rule rule, Request request) {
    List<KeyPart> parts = rule.limitKeys();
    Written whole = Written.WHOLE;
    for (int i = 0; i < parts.size(); i++) {
      KeyPart part = parts.get(i);
      Written written = write(part, rule.onRepeatedKey(), request);
      if (written == Written.MISSING) {
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
          return Written.SKIPPED;
        }
      }
      if (written != Written.WHOLE && whole == Written.WHOLE) {
        whole = written;
      }
    }
    return whole;
  }

  private Written write(KeyPart part, RepeatedKey onRepeated, Request request) {
    List<Attribute> alternatives = part.alternatives();
    for (int i = 0; i < alternatives.size(); i++) {
      Written written = write(alternatives.get(i), onRepeated, request);
      if (written != Written.MISSING) {
        return written;
      }
      if (alternatives.get(i).isUnverifiable(request)) {
        return Written.MISSING;
      }
    }
    return Written.MISSING;
  }

  private Written write(Attribute attribute, RepeatedKey onRepeated, Request request) {
    if (attribute.source() == Attribute.AttributeSource.ADDRESS) {
      // The most common key of all, so no text is made of it only to be copied.
      IpAddress address = request.address();
      if (address == null) {
        return Written.MISSING;
      }
      keys.add(attribute, address);
      return Written.WHOLE;
    }
    String value = attribute.of(request);
    if (value == null) {
      return Written.MISSING;
    }
    List<String> several = attribute.repeated(request, value);
    String counts = several == null ? value : onRepeated.chosen(value, several);
    if (counts == null) {
      return Written.REPEATED;
    }
    if (counts.isEmpty()) {
      return Written.MISSING;
    }
    keys.add(attribute, counts);
    return Written.WHOLE;
  }

  /** Puts the rules into the order of the policy. There are few, and they are nearly so already. */
  void sort() {
    for (int i = 1; i < size; i++) {
      SelectedRule pick = picks[i];
      int at = i;
      for (; at > 0 && picks[at - 1].tier().position() > pick.tier().position(); at--) {
        picks[at] = picks[at - 1];
      }
      picks[at] = pick;
    }
  }

  private SelectedRule next() {
    if (size == picks.length) {
      SelectedRule[] more = new SelectedRule[2 * size];
      System.arraycopy(picks, 0, more, 0, size);
      for (int i = size; i < more.length; i++) {
        more[i] = new SelectedRule();
      }
      picks = more;
    }
    return picks[size++];
  }

  /** Selections that no request uses now. Thread-safe. */
  static final class SelectionPool {
    private static final int SIZE = 64;

    /** In references: 128 bytes, so that threads share no cache line, nor a pair of them. */
    private static final int SPACING = 32;

    private final Policy policy;
    private final AtomicReferenceArray<@Nullable Selection> idle =
        new AtomicReferenceArray<>(SIZE * SPACING);

    SelectionPool(Policy policy) {
      this.policy = policy;
    }

    Selection lend() {
      Selection own = idle.getAndSet(place(), null);
      return own == null ? new Selection(policy) : own;
    }

    void giveBack(Selection selection) {
      idle.setRelease(place(), selection);
    }

    private static int place() {
      return (int) (Thread.currentThread().getId() % SIZE) * SPACING;
    }
  }
}
