package io.penstock.policy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Logs once for each rule that callers don't supply its key, so that requests are not limited, and
 * passes everything on to another observer. Thread-safe.
 */
public final class SkippedRuleLog implements PolicyObserver {
  private static final int MAX_RULES = 1_000;

  private final PolicyObserver next;
  private final Consumer<String> warnings;
  private final Set<String> logged = ConcurrentHashMap.newKeySet();

  /**
   * @param warnings logs a message
   */
  public SkippedRuleLog(PolicyObserver next, Consumer<String> warnings) {
    this.next = next;
    this.warnings = warnings;
  }

  @Override
  public void decided(Outcome outcome) {
    next.decided(outcome);
  }

  @Override
  public void corrected(Outcome reported, Outcome denial) {
    next.corrected(reported, denial);
  }

  @Override
  public void skipped(SkippedRule skipped) {
    next.skipped(skipped);
    String rule = skipped.rule().name();
    if (!logged.contains(rule) && logged.size() < MAX_RULES && logged.add(rule)) {
      warnings.accept(
          "Rule "
              + rule
              + " skips requests without "
              + skipped.missing()
              + ", and no other rule limits them; supply it, or set on_missing_key (logged once,"
              + " counted by penstock_skipped_total)");
    }
  }
}
