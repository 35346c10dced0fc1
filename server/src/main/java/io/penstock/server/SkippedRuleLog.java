package io.penstock.server;

import io.penstock.policy.Outcome;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.SkippedRule;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once for each rule that callers don't supply its key, so that requests are not limited, and
 * passes everything on to another observer. Thread-safe.
 */
final class SkippedRuleLog implements PolicyObserver {
  private static final Logger LOG = LoggerFactory.getLogger(SkippedRuleLog.class);
  private static final int MAX_RULES = 1_000;

  private final PolicyObserver next;
  private final Set<String> logged = ConcurrentHashMap.newKeySet();

  SkippedRuleLog(PolicyObserver next) {
    this.next = next;
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
      LOG.warn(
          "Rule {} skips requests without {}, and no other rule limits them; supply it, or set"
              + " on_missing_key (logged once, counted by penstock_skipped_total)",
          rule,
          skipped.missing());
    }
  }
}
