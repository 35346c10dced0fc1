package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.WindowLimit;
import org.jspecify.annotations.Nullable;

/** The codec of a window limit. Immutable. */
final class WindowCodec extends LimitCodec {
  private static final long TOKEN = 1_000;

  /** How many slices of a log this node counts its grants in; reports are as precise as these. */
  private static final int LOG_SLICES = 8;

  private final String name;
  private final WindowLimit limit;

  WindowCodec(String name, WindowLimit limit) {
    this.name = name;
    this.limit = limit;
  }

  @Override
  int replyLength() {
    return 4;
  }

  @Override
  char family() {
    return isLog() ? 'l' : 'w';
  }

  /** Whether the copy of a window can be set back to an earlier count. */
  boolean isFixed() {
    return limit.kind() == WindowLimit.Counting.FIXED_WINDOW;
  }

  private boolean isLog() {
    return limit.kind() == WindowLimit.Counting.SLIDING_WINDOW_LOG;
  }

  @Override
  void write(MessagePackArray numbers) {
    numbers.add(kind()).add(lengthTicks()).add(limit.burstThousandths());
  }

  private long lengthTicks() {
    return (limit.window().toNanos() - 1) / Ticks.NANOS + 1;
  }

  /**
   * Returns the grants of this node from one window: the previous one if they are for the same
   * slices of time, or else empty ones.
   */
  WindowGrants grants(@Nullable WindowGrants previous) {
    long ticks = isLog() ? (lengthTicks() - 1) / LOG_SLICES + 1 : lengthTicks();
    int slices = isLog() ? LOG_SLICES + 2 : 2;
    return previous != null && previous.hasSlices(ticks, slices)
        ? previous
        : new WindowGrants(ticks, slices);
  }

  private int kind() {
    return switch (limit.kind()) {
      case FIXED_WINDOW -> 1;
      case SLIDING_WINDOW_COUNTER -> 2;
      case SLIDING_WINDOW_LOG -> 3;
    };
  }

  @Override
  long cost(long thousandths) {
    if (isLog() && thousandths % TOKEN != 0) {
      throw new IllegalArgumentException(
          "cost must be a whole number on a sliding log: " + thousandths / (double) TOKEN);
    }
    return thousandths;
  }

  @Override
  long maxDebt(long thousandths, long maxDelayNanos) {
    if (maxDelayNanos > 0) {
      throw onlyTokenBuckets("waiting");
    }
    return thousandths <= limit.burstThousandths() ? limit.burstThousandths() : -1;
  }

  @Override
  long delayTicks(long maxDebt) {
    return maxDebt < 0 ? -1 : 0;
  }

  @Override
  void updateCopy(
      LocalBuckets local,
      Operation operation,
      RedisClaim claim,
      long[] replies,
      int reply,
      long granted,
      long passedNanos) {
    if (operation == Operation.TAKE && granted > 0 && claim.cost() > 0) {
      local.granted(claim, granted * claim.cost(), replies[replies.length - 1]);
    } else if (operation == Operation.RESET) {
      local.reset(claim);
    }
  }

  @Override
  long remainingAt(long remaining, long resetNanos) {
    return remaining;
  }

  @Override
  long extraWaitNanos(long more) {
    return -1;
  }

  UnsupportedOperationException onlyTokenBuckets(String operation) {
    return new UnsupportedOperationException(
        operation + " needs a token bucket: limiter " + name + " is a " + limit.kind());
  }

  @Override
  Decision decision(RedisClaim claim, long[] replies, int reply, long granted, long caller) {
    boolean granting = caller < granted;
    long used = replies[reply] + (granting ? caller + 1 : granted) * claim.cost();
    long remaining = Math.max(0, limit.burstThousandths() - used);
    boolean counted = granted > 0 && claim.cost() > 0;
    long reset = Ticks.toNanos(replies[reply + (counted ? 2 : 3)]);
    if (granting || (claim.maxDebt() >= 0 && used + claim.cost() <= claim.maxDebt())) {
      return Decision.allow(name, limit, remaining, reset, 0);
    }
    return claim.maxDebt() < 0
        ? Decision.denyCostAboveBurst(name, limit, remaining, reset)
        : Decision.deny(name, limit, remaining, reset, Ticks.toNanos(replies[reply + 1]));
  }
}
