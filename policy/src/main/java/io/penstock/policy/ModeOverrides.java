package io.penstock.policy;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Modes that temporarily replace those of the policy. Immutable.
 *
 * @param all the mode of all rules, which also replaces those in {@code rules}; null if there is
 *     none
 * @param rules the modes of single rules, by name
 */
record ModeOverrides(@Nullable Mode all, Map<String, Mode> rules) {
  static final ModeOverrides NONE = new ModeOverrides(null, Map.of());

  ModeOverrides {
    rules = Map.copyOf(rules);
  }

  /** Returns these overrides with another mode of all rules; null removes it. */
  ModeOverrides with(@Nullable Mode mode) {
    return new ModeOverrides(mode, rules);
  }

  /** Returns these overrides with another mode of one rule; null removes it. */
  ModeOverrides with(String rule, @Nullable Mode mode) {
    Map<String, Mode> changed = new HashMap<>(rules);
    if (mode == null) {
      changed.remove(rule);
    } else {
      changed.put(rule, mode);
    }
    return new ModeOverrides(all, changed);
  }

  /** Returns the modes of single rules that are in effect. */
  Map<String, Mode> effectiveRules() {
    return all == null ? rules : Map.of();
  }

  /** Returns whether the mode of a rule is replaced. */
  boolean applyTo(String rule) {
    return all != null || rules.containsKey(rule);
  }
}
