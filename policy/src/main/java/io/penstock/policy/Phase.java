package io.penstock.policy;

/**
 * Selects which rules of a policy to evaluate, for integrations that identify the sender of a
 * request in a second step. All tiers of a group are evaluated in the same phase.
 */
public enum Phase {
  /** All rules except those that are requested by name. */
  WHOLE,
  /** Rules that need nothing but the HTTP request. */
  EARLY,
  /** Rules that refer to attributes supplied by the caller, such as {@code user_id}. */
  LATE
}
