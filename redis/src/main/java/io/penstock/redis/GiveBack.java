package io.penstock.redis;

import java.util.List;

/**
 * Gives back what a request was charged whose answer came too late, or that was denied elsewhere:
 * no more than its bucket would have without the charge. Thread-safe.
 */
final class GiveBack extends Ask {
  private final Charge charge;

  GiveBack(Charge charge, long deadlineNanos) {
    super(What.GIVE_BACK, List.of(charge.part()), deadlineNanos);
    this.charge = charge;
  }

  /** Says to the script what else it has to know. */
  void write(Numbers numbers) {
    numbers.add(charge.micros()).add(charge.ticks()).add(charge.rest());
  }
}
