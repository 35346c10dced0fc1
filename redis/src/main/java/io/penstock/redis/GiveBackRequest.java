package io.penstock.redis;

import java.util.List;

/**
 * Refunds a charge whose response was too late, or whose request was denied by another slot.
 * Afterwards, the bucket has at most the tokens that it would have without the charge. Thread-safe.
 */
final class GiveBackRequest extends PendingRequest {
  private final Receipt receipt;

  GiveBackRequest(Receipt receipt, long deadlineNanos) {
    super(Operation.GIVE_BACK, List.of(receipt.claim()), deadlineNanos);
    this.receipt = receipt;
  }

  /** Writes the additional arguments of the script. */
  void write(MessagePackArray numbers) {
    numbers.add(receipt.micros()).add(receipt.ticks()).add(receipt.rest());
  }
}
