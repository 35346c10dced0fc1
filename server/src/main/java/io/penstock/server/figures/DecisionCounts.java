package io.penstock.server.figures;

/**
 * Numbers of decisions.
 *
 * @param degraded those made by a failure policy, also counted as allowed or denied
 * @param shadowDenied those that a rule in shadow mode would have denied
 */
public record DecisionCounts(long allowed, long denied, long degraded, long shadowDenied) {
  static final DecisionCounts NONE = new DecisionCounts(0, 0, 0, 0);

  /** Returns what was counted since {@code before}. */
  DecisionCounts since(DecisionCounts before) {
    return new DecisionCounts(
        Math.max(0, allowed - before.allowed),
        Math.max(0, denied - before.denied),
        Math.max(0, degraded - before.degraded),
        Math.max(0, shadowDenied - before.shadowDenied));
  }

  DecisionCounts plus(DecisionCounts that) {
    return new DecisionCounts(
        allowed + that.allowed,
        denied + that.denied,
        degraded + that.degraded,
        shadowDenied + that.shadowDenied);
  }

  /** Returns part {@code index} of {@code parts} parts, which add up to these counts. */
  DecisionCounts part(long index, long parts) {
    return new DecisionCounts(
        part(allowed, index, parts),
        part(denied, index, parts),
        part(degraded, index, parts),
        part(shadowDenied, index, parts));
  }

  private static long part(long count, long index, long parts) {
    return count * (index + 1) / parts - count * index / parts;
  }
}
