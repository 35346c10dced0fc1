package io.penstock.redis;

import java.util.List;

/**
 * Gives back what a request was charged whose answer came too late, or that was denied elsewhere:
 * no more than its bucket would have without the charge. Thread-safe.
 */
final class ChargeReturn extends PendingRequest {
  private final Charge charge;

  ChargeReturn(Charge charge, long deadlineNanos) {
    super(RequestKind.GIVE_BACK, List.of(charge.part()), deadlineNanos);
    this.charge = charge;
  }

  /** Says to the script what else it has to know. */
  void write(MessagePackArray numbers) {
    numbers.add(charge.micros()).add(charge.ticks()).add(charge.rest());
  }
}
