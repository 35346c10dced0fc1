package io.penstock.policy.advice;

import io.penstock.policy.replay.KeyCount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Counts the requests that a policy with one suggestion for each group would deny. As in {@code
 * PolicyEngine}, a request charges the buckets of all rules that apply, or none if one of them
 * denies it. Not thread-safe.
 */
final class DenialForecast {
  private static final int MAX_WORST = 5;

  private final List<RuleLimit> limits;
  private final RuleBucketIndex index;
  private final int[] ruleOf;
  private final long[] debt;
  private final long[] lastNanos;
  private final long[] requests;
  private final long[] denied;

  /**
   * The limit of a group.
   *
   * @param isWritable whether the policy contains the rule; otherwise it denies nothing
   */
  record RuleLimit(CandidateRate rate, long burst, boolean isWritable) {
    long capacity() {
      return saturatedProduct(burst, rate.periodNanos());
    }
  }

  DenialForecast(List<RuleLimit> limits, RuleBucketIndex index) {
    this.limits = limits;
    this.index = index;
    this.ruleOf = new int[index.size()];
    for (int rule = 0; rule < limits.size(); rule++) {
      for (int i = index.first(rule); i < index.first(rule + 1); i++) {
        ruleOf[i] = rule;
      }
    }
    this.debt = new long[index.size()];
    this.lastNanos = new long[index.size()];
    this.requests = new long[index.size()];
    this.denied = new long[index.size()];
  }

  private static long saturatedProduct(long a, long b) {
    return a > Long.MAX_VALUE / b ? Long.MAX_VALUE : a * b;
  }

  /** Adds a request. Times must not decrease. */
  void add(int pair, long timeNanos) {
    int start = index.start(pair);
    int end = index.end(pair);
    if (index.isDenied(pair)) {
      countDenied(start, end);
      return;
    }
    boolean isAllowed = true;
    for (int i = start; i < end; i++) {
      int bucket = index.bucket(i);
      RuleLimit limit = limits.get(ruleOf[bucket]);
      refill(bucket, limit, timeNanos);
      requests[bucket]++;
      if (isEmpty(bucket, limit)) {
        denied[bucket]++;
        isAllowed &= !limit.isWritable;
      }
    }
    for (int i = start; i < end && isAllowed; i++) {
      int bucket = index.bucket(i);
      RuleLimit limit = limits.get(ruleOf[bucket]);
      if (!isEmpty(bucket, limit)) {
        debt[bucket] += limit.rate.periodNanos();
      }
    }
  }

  /** Counts a request that is denied without buckets, of which rules that allow it see nothing. */
  private void countDenied(int start, int end) {
    for (int i = start; i < end; i++) {
      if (index.bucket(i) < 0) {
        requests[~index.bucket(i)]++;
        denied[~index.bucket(i)]++;
      }
    }
  }

  private void refill(int bucket, RuleLimit limit, long timeNanos) {
    long refilled = saturatedProduct(timeNanos - lastNanos[bucket], limit.rate.tokens());
    debt[bucket] = Math.max(0, debt[bucket] - refilled);
    lastNanos[bucket] = timeNanos;
  }

  private boolean isEmpty(int bucket, RuleLimit limit) {
    return debt[bucket] > limit.capacity() - limit.rate.periodNanos();
  }

  /** Returns the requests that a rule is evaluated for. */
  long requests(int rule) {
    long sum = 0;
    for (int i = index.first(rule); i < index.first(rule + 1); i++) {
      sum += requests[i];
    }
    return sum;
  }

  /**
   * Returns the suggestion for a group.
   *
   * @param keys has the names of keys
   */
  Suggestion suggestion(String name, int rule, PairTable keys) {
    List<KeyCount> hit = new ArrayList<>();
    long total = 0;
    for (int i = index.first(rule); i < index.first(rule + 1); i++) {
      if (denied[i] > 0) {
        total += denied[i];
        hit.add(new KeyCount(keys.key(index.key(i)), requests[i], denied[i]));
      }
    }
    hit.sort(Comparator.comparingLong(KeyCount::denied).reversed().thenComparing(KeyCount::key));
    List<KeyCount> worst = List.copyOf(hit.subList(0, Math.min(hit.size(), MAX_WORST)));
    RuleLimit limit = limits.get(rule);
    return new Suggestion(name, limit.rate, limit.burst, total, hit.size(), worst);
  }
}
