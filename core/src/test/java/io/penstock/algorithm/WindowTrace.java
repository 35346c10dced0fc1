package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.WindowLimit;
import java.util.ArrayList;
import java.util.List;

/**
 * A trace of the grants of one key under several aligned windows, in the order of time. Checked
 * against P10: in any interval shorter than the longest window, no more is granted than one of the
 * limits allows alone.
 */
public final class WindowTrace {
  private final List<WindowLimit> limits;
  private final List<Grant> grants = new ArrayList<>();

  private record Grant(long nanos, long tokens) {}

  public WindowTrace(List<WindowLimit> limits) {
    this.limits = limits;
  }

  public void grant(long nanos, long tokens) {
    grants.add(new Grant(nanos, tokens));
  }

  /** Fails if an interval has more than one limit allows, plus {@code extra}. */
  public void check(long extra) {
    long longest = limits.stream().mapToLong(WindowTrace::length).max().orElseThrow();
    for (int first = 0; first < grants.size(); first++) {
      long sum = 0;
      long begin = grants.get(first).nanos;
      for (int last = first; last < grants.size(); last++) {
        long took = grants.get(last).nanos - begin;
        if (took >= longest) {
          break;
        }
        sum += grants.get(last).tokens;
        if (sum > allowed(took) + extra) {
          assertThat(sum)
              .as("%s in %s ns, from %s ns on", limits, took, begin)
              .isLessThanOrEqualTo(allowed(took) + extra);
        }
      }
    }
  }

  /** The largest number of tokens that one of the limits grants in an interval. */
  private long allowed(long nanos) {
    long max = 0;
    for (WindowLimit limit : limits) {
      // The number of windows that an interval of this length can overlap.
      long touched = nanos / length(limit) + 2;
      max = Math.max(max, limit.burstThousandths() / 1_000 * touched);
    }
    return max;
  }

  private static long length(WindowLimit limit) {
    return limit.window().toNanos();
  }
}
