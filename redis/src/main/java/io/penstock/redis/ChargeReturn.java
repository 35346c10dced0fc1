package io.penstock.redis;

import java.util.List;

/**
 * Gives back a charge whose response was too late, or whose request was denied by another slot. The
 * bucket gets at most what it would have without the charge. Thread-safe.
 */
final class ChargeReturn extends PendingRequest {
  private final Charge charge;

  ChargeReturn(Charge charge, long deadlineNanos) {
    super(RequestKind.GIVE_BACK, List.of(charge.part()), deadlineNanos);
    this.charge = charge;
  }

  /** Writes the additional arguments of the script. */
  void write(MessagePackArray numbers) {
    numbers.add(charge.micros()).add(charge.ticks()).add(charge.rest());
  }
}
