package io.penstock.policy.replay;

import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the requests that two policies decide differently. Not thread-safe. */
public final class ChangeTally {
  private static final int MAX_SHOWN = 10;

  private final Map<String, long[]> newlyDenied = new HashMap<>();
  private final Map<String, long[]> newlyAllowed = new HashMap<>();
  private long denied;
  private long allowed;

  /**
   * What a change of policy does. Immutable.
   *
   * @param newlyDenied requests that only the other policy denies
   * @param newlyAllowed requests that only the first policy denies
   * @param deniedKeys the rules and keys with the most newly denied requests
   * @param allowedKeys the rules and keys with the most newly allowed requests
   */
  public record PolicyChange(
      long newlyDenied, long newlyAllowed, List<KeyCount> deniedKeys, List<KeyCount> allowedKeys) {}

  ChangeTally() {}

  void add(Verdict before, Verdict after) {
    if (before.allowed() && !after.allowed()) {
      denied++;
      count(after, newlyDenied);
    } else if (!before.allowed() && after.allowed()) {
      allowed++;
      count(before, newlyAllowed);
    }
  }

  private static void count(Verdict denial, Map<String, long[]> counts) {
    String key = denial.decisive().map(ChangeTally::name).orElse("(path rejected)");
    counts.computeIfAbsent(key, unused -> new long[1])[0]++;
  }

  private static String name(Outcome outcome) {
    return outcome.rule().name() + (outcome.key().isEmpty() ? "" : " " + outcome.key());
  }

  PolicyChange change() {
    return new PolicyChange(denied, allowed, top(newlyDenied), top(newlyAllowed));
  }

  private static List<KeyCount> top(Map<String, long[]> counts) {
    return counts.entrySet().stream()
        .map(each -> new KeyCount(each.getKey(), each.getValue()[0], each.getValue()[0]))
        .sorted(Comparator.comparingLong(KeyCount::denied).reversed().thenComparing(KeyCount::key))
        .limit(MAX_SHOWN)
        .toList();
  }
}
