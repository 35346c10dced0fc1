package io.penstock.policy.advice;

import io.penstock.policy.replay.KeyCount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Counts the requests that a token bucket for each key would deny. Not thread-safe. */
final class DenialForecast {
  private static final int MAX_WORST = 5;

  private final CandidateRate rate;
  private final long burst;
  private final long capacity;
  private final long[] debt;
  private final long[] lastNanos;
  private final long[] requests;
  private final long[] denied;

  DenialForecast(CandidateRate rate, long burst, int keys) {
    this.rate = rate;
    this.burst = burst;
    this.capacity = saturatedProduct(burst, rate.periodNanos());
    this.debt = new long[keys];
    this.lastNanos = new long[keys];
    this.requests = new long[keys];
    this.denied = new long[keys];
  }

  private static long saturatedProduct(long a, long b) {
    return a > Long.MAX_VALUE / b ? Long.MAX_VALUE : a * b;
  }

  void add(int key, long timeNanos) {
    long refilled = saturatedProduct(timeNanos - lastNanos[key], rate.tokens());
    long left = Math.max(0, debt[key] - refilled);
    requests[key]++;
    lastNanos[key] = timeNanos;
    if (left > capacity - rate.periodNanos()) {
      debt[key] = left;
      denied[key]++;
    } else {
      debt[key] = left + rate.periodNanos();
    }
  }

  /**
   * @param names the names of all keys
   */
  Suggestion suggestion(String name, RequestGroup group, List<String> names) {
    List<KeyCount> hit = new ArrayList<>();
    long total = 0;
    for (int i = 0; i < denied.length; i++) {
      if (denied[i] > 0) {
        total += denied[i];
        hit.add(new KeyCount(names.get(group.keys().get(i)), requests[i], denied[i]));
      }
    }
    hit.sort(Comparator.comparingLong(KeyCount::denied).reversed().thenComparing(KeyCount::key));
    List<KeyCount> worst = List.copyOf(hit.subList(0, Math.min(hit.size(), MAX_WORST)));
    return new Suggestion(name, rate, burst, total, hit.size(), worst);
  }
}
