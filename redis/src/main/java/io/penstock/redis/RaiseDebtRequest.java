package io.penstock.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * Reports to Redis what this node has granted, after the copy of a bucket has decided: raises the
 * debt of a token bucket to that of its copy, or the count of a window to the grants of this node.
 * Thread-safe. No caller waits for it.
 */
final class RaiseDebtRequest extends PendingRequest {
  private final List<Long> arguments;

  private RaiseDebtRequest(RedisClaim claim, List<Long> arguments, long deadlineNanos) {
    super(Operation.RAISE_DEBT, List.of(claim), deadlineNanos);
    this.arguments = arguments;
  }

  /**
   * Returns a report for a token bucket.
   *
   * @param claim claims the tokens that are missing from the copy
   * @param micros the time by the server's clock, estimated by this node; 0 if unknown
   */
  static RaiseDebtRequest ofDebt(RedisClaim claim, long micros, long deadlineNanos) {
    return new RaiseDebtRequest(claim, List.of(micros), deadlineNanos);
  }

  /**
   * Returns a report for a window.
   *
   * @param claim claims nothing from the window
   * @param grants what this node has granted, oldest first
   */
  static RaiseDebtRequest ofGrants(
      RedisClaim claim, List<WindowGrants.Slice> grants, long deadlineNanos) {
    List<Long> arguments = new ArrayList<>();
    arguments.add((long) grants.size());
    for (WindowGrants.Slice slice : grants) {
      arguments.add(slice.startMicros());
      arguments.add(slice.thousandths());
    }
    return new RaiseDebtRequest(claim, arguments, deadlineNanos);
  }

  List<Long> arguments() {
    return arguments;
  }

  /** Writes the additional arguments of the script. */
  void write(MessagePackArray numbers) {
    arguments.forEach(numbers::add);
  }
}
