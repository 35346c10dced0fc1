package io.penstock.redis;

import io.penstock.algorithm.FixedPointRate;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A straightforward model of a bucket with leases at the store, under one limit. It steps through
 * time from the expiry of one lease to the next; in between, the debt doesn't fall below the leased
 * tokens. The script must agree with it. Not thread-safe.
 */
final class LeasedBucket {
  private static final int MAX_HOLDERS = 64;
  private static final long MAX_LENGTH = 10_000_000;

  private final FixedPointRate fixedRate;
  private final Set<LeaseFlaw> flaws;
  private final List<Entry> entries = new ArrayList<>();
  private long debt;
  private long at;

  private record Entry(long holder, long number, long amount, long ends) {}

  /** The reply to a lease's call; -1 granted if a later call was already processed. */
  record Reply(long granted, long debt, long kept, long outstanding) {}

  LeasedBucket(FixedPointRate fixedRate, long now, LeaseFlaw... flaws) {
    this.fixedRate = fixedRate;
    this.at = now;
    this.flaws = EnumSet.noneOf(LeaseFlaw.class);
    this.flaws.addAll(List.of(flaws));
  }

  long debt(long now) {
    advance(now);
    return debt;
  }

  long outstanding() {
    return entries.stream().mapToLong(Entry::amount).sum();
  }

  private long floor() {
    return flaws.contains(LeaseFlaw.NO_FLOOR)
        ? 0
        : Math.min(fixedRate.burst(), fixedRate.units(outstanding()));
  }

  private void advance(long now) {
    // After a clock step back, no lease expires later than one that is created now could.
    entries.replaceAll(
        entry ->
            entry.ends - now > MAX_LENGTH
                ? new Entry(entry.holder, entry.number, entry.amount, now + MAX_LENGTH)
                : entry);
    if (now < at) {
      debt = Math.min(fixedRate.burst(), debt + (at - now) * fixedRate.unitsPerTick());
      at = now;
    }
    while (at < now) {
      long next =
          entries.stream().mapToLong(Entry::ends).filter(ends -> ends < now).min().orElse(now);
      debt = Math.max(floor(), debt - (next - at) * fixedRate.unitsPerTick());
      at = next;
      end();
    }
    end();
  }

  private void end() {
    for (Entry entry : List.copyOf(entries)) {
      if (entry.ends <= at) {
        entries.remove(entry);
        if (flaws.contains(LeaseFlaw.ENDS_WITH_A_JUMP)) {
          debt = Math.max(floor(), debt - fixedRate.units(entry.amount));
        }
      }
    }
  }

  boolean take(long now, long thousandths) {
    advance(now);
    long after = debt + fixedRate.units(thousandths);
    if (after > fixedRate.burst()) {
      return false;
    }
    debt = after;
    return true;
  }

  void charge(long now, long thousandths) {
    advance(now);
    debt = fixedRate.charged(debt, fixedRate.units(thousandths));
  }

  void refund(long now, long thousandths) {
    advance(now);
    debt = Math.max(floor(), debt - fixedRate.units(thousandths));
  }

  void reset(long now) {
    advance(now);
    debt = floor();
  }

  Reply lease(long now, long holder, Lease.LeaseCall call) {
    advance(now);
    Entry old = entries.stream().filter(entry -> entry.holder == holder).findAny().orElse(null);
    if (old != null && old.number >= call.number() && !flaws.contains(LeaseFlaw.NO_NUMBERS)) {
      return new Reply(-1, debt, 0, outstanding());
    }
    long has = old == null ? 0 : old.amount;
    long kept = Math.min(call.keep(), has);
    long back =
        flaws.contains(LeaseFlaw.BACK_AT_ANY_TIME)
            ? call.back()
            : Math.min(call.back(), has - kept);
    entries.remove(old);
    long outstanding = outstanding() + kept;
    debt = Math.max(0, debt - fixedRate.units(back));
    long burst = fixedRate.burst() / fixedRate.unitsPerThousandth();
    long available =
        Math.min(call.want(), (fixedRate.burst() - debt) / fixedRate.unitsPerThousandth());
    available = Math.min(available, Math.min(burst / 8 - kept, burst / 2 - outstanding));
    long granted =
        debt > fixedRate.burst() || entries.size() >= MAX_HOLDERS
            ? 0
            : Math.max(0, available / call.grain() * call.grain());
    debt += fixedRate.units(granted);
    if (kept + granted > 0) {
      long length = Lease.LENGTH_NANOS / Ticks.NANOS;
      long margin = flaws.contains(LeaseFlaw.NO_MARGIN) ? 0 : length / 8 + 1;
      entries.add(new Entry(holder, call.number(), kept + granted, now + length + margin));
    }
    return new Reply(granted, debt, kept, outstanding());
  }
}
