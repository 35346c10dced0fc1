package io.penstock.policy;

/**
 * Which rules of a policy are asked, for doors that learn in two steps who sends a request. A group
 * of tiers is asked in one step as a whole.
 */
public enum Phase {
  /** All, but for those that are asked for by name only. */
  WHOLE,
  /** Those for which it is enough to know what HTTP says. */
  EARLY,
  /** Those that name something only the caller knows, such as {@code user_id}. */
  LATE
}
