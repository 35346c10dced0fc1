package io.penstock.redis;

import java.util.List;

/**
 * Raises the debt of a bucket to that of its copy in this process, after the copy has decided.
 * Thread-safe. No caller waits for it.
 */
final class RaiseDebtRequest extends PendingRequest {
  private final long micros;

  /**
   * @param claim claims the tokens that are missing from the copy
   * @param micros the time by the server's clock, estimated by this node; 0 if unknown
   */
  RaiseDebtRequest(RedisClaim claim, long micros, long deadlineNanos) {
    super(Operation.RAISE_DEBT, List.of(claim), deadlineNanos);
    this.micros = micros;
  }

  long micros() {
    return micros;
  }

  /** Writes the additional arguments of the script. */
  void write(MessagePackArray numbers) {
    numbers.add(micros);
  }
}
