package io.penstock.policy.advice;

import io.penstock.policy.RuleProbe;
import java.util.Arrays;
import java.util.List;

/**
 * The buckets of the suggested rules: which of them each pair of class and key is counted in.
 * Immutable.
 *
 * <p>A bucket belongs to one rule; the buckets of a rule have consecutive numbers.
 */
final class RuleBucketIndex {
  private final int[] firstBucket;
  private final int[] keyOf;

  /** The buckets of pair i are at positions from {@code starts[i]} to {@code starts[i + 1]}. */
  private final int[] starts;

  /** A bucket is complemented if its rule denies the requests without asking it. */
  private final int[] buckets;

  RuleBucketIndex(List<GroupRule> rules, List<RequestClass> classes, PairTable pairs) {
    RuleProbe.Treatment[][] treatments = new RuleProbe.Treatment[rules.size()][];
    int[] counts = new int[classes.size()];
    for (int rule = 0; rule < rules.size(); rule++) {
      treatments[rule] =
          classes.stream().map(rules.get(rule)::treatment).toArray(RuleProbe.Treatment[]::new);
      for (int i = 0; i < counts.length; i++) {
        counts[i] += treatments[rule][i] == RuleProbe.Treatment.SKIPPED ? 0 : 1;
      }
    }
    this.starts = new int[pairs.size() + 1];
    for (int pair = 0; pair < pairs.size(); pair++) {
      starts[pair + 1] = Math.addExact(starts[pair], counts[pairs.classId(pair)]);
    }
    this.buckets = new int[starts[pairs.size()]];
    this.firstBucket = new int[rules.size() + 1];
    int[] next = Arrays.copyOf(starts, pairs.size());
    int[] keys = new int[buckets.length];
    int size = 0;
    int[] bucketOfKey = new int[pairs.keys()];
    Arrays.fill(bucketOfKey, -1);
    for (int rule = 0; rule < rules.size(); rule++) {
      for (int pair = 0; pair < pairs.size(); pair++) {
        RuleProbe.Treatment treatment = treatments[rule][pairs.classId(pair)];
        if (treatment == RuleProbe.Treatment.SKIPPED) {
          continue;
        }
        int key = pairs.keyId(pair);
        if (bucketOfKey[key] < firstBucket[rule]) {
          bucketOfKey[key] = size;
          keys[size++] = key;
        }
        boolean isDenied = pairs.isDenied(pair) || treatment == RuleProbe.Treatment.DENIED;
        buckets[next[pair]++] = isDenied ? ~bucketOfKey[key] : bucketOfKey[key];
      }
      firstBucket[rule + 1] = size;
    }
    this.keyOf = Arrays.copyOf(keys, size);
  }

  /** Returns the number of buckets. */
  int size() {
    return keyOf.length;
  }

  /** Returns the first bucket of a rule, which is the end of those of the previous one. */
  int first(int rule) {
    return firstBucket[rule];
  }

  /** Returns the key of a bucket. */
  int key(int bucket) {
    return keyOf[bucket];
  }

  int start(int pair) {
    return starts[pair];
  }

  int end(int pair) {
    return starts[pair + 1];
  }

  /** Returns the bucket at a position; complemented if its rule denies without asking it. */
  int bucket(int position) {
    return buckets[position];
  }

  /** Returns whether a rule denies the requests of a pair without asking a bucket. */
  boolean isDenied(int pair) {
    for (int i = starts[pair]; i < starts[pair + 1]; i++) {
      if (buckets[i] < 0) {
        return true;
      }
    }
    return false;
  }
}
