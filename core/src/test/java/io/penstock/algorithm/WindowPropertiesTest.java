package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.WindowLimit.Counting;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The windows, compared with models that keep every grant and sum them up for each query. */
class WindowPropertiesTest {
  private static final long TEN_YEARS = 315_619_200_000_000_000L;
  private static final long MAX_LIMIT = 1_000_000_000_000L;

  record Request(long ticks, long cost) {}

  record Trace(Counting kind, long length, long limit, long start, List<Request> requests) {
    Window window() {
      return switch (kind) {
        case FIXED_WINDOW -> new FixedWindow(length, limit);
        case SLIDING_WINDOW_COUNTER -> new SlidingCounter(length, limit);
        case SLIDING_WINDOW_LOG -> new SlidingLog(length);
      };
    }
  }

  record Grant(long time, long cost) {}

  /** All grants so far, and the rule of the algorithm in exact arithmetic. */
  record Model(Trace trace, List<Grant> grants) {
    Model(Trace trace) {
      this(trace, new ArrayList<>());
    }

    boolean allows(long now, long cost) {
      BigInteger length = BigInteger.valueOf(trace.length);
      long index = Math.floorDiv(now, trace.length);
      BigInteger used =
          switch (trace.kind) {
            case FIXED_WINDOW -> sum(t -> Math.floorDiv(t, trace.length) == index).multiply(length);
            case SLIDING_WINDOW_LOG -> sum(t -> t > now - trace.length).multiply(length);
            case SLIDING_WINDOW_COUNTER -> {
              BigInteger left = BigInteger.valueOf((index + 1) * trace.length - now);
              BigInteger previous = sum(t -> Math.floorDiv(t, trace.length) == index - 1);
              BigInteger current = sum(t -> Math.floorDiv(t, trace.length) == index);
              yield current.multiply(length).add(previous.multiply(left));
            }
          };
      BigInteger wanted = used.add(BigInteger.valueOf(cost).multiply(length));
      return wanted.compareTo(BigInteger.valueOf(trace.limit).multiply(length)) <= 0;
    }

    private BigInteger sum(LongPredicate counts) {
      return grants.stream()
          .filter(grant -> counts.test(grant.time))
          .map(grant -> BigInteger.valueOf(grant.cost))
          .reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** Returns a window that contains the grants and nothing else. */
    Window replayed() {
      Window window = trace.window();
      grants.forEach(grant -> window.add(grant.time, grant.cost));
      return window;
    }
  }

  @Property(tries = 500)
  void waitFor_anyTrace_allowsWhatTheRuleAllows(@ForAll("traces") Trace trace) {
    Window window = trace.window();
    Model model = new Model(trace);
    long now = trace.start;
    for (Request request : trace.requests) {
      now += request.ticks;
      boolean allowed = window.waitFor(now, request.cost, trace.limit) == 0;
      assertThat(allowed).isEqualTo(model.allows(now, request.cost));
      if (allowed) {
        window.add(now, request.cost);
        model.grants.add(new Grant(now, request.cost));
      }
    }
    if (trace.kind == Counting.SLIDING_WINDOW_LOG) {
      for (Grant first : model.grants) {
        assertThat(model.sum(t -> t >= first.time && t - first.time < trace.length))
            .isLessThanOrEqualTo(BigInteger.valueOf(trace.limit));
      }
    }
  }

  @Property(tries = 300)
  void waitFor_denied_isExactAndChangesNothing(@ForAll("traces") Trace trace) {
    Window window = trace.window();
    Model model = new Model(trace);
    long now = trace.start;
    for (Request request : trace.requests) {
      now += request.ticks;
      long wait = window.waitFor(now, request.cost, trace.limit);
      if (wait == 0) {
        window.add(now, request.cost);
        model.grants.add(new Grant(now, request.cost));
        continue;
      }
      assertThat(wait).isBetween(1L, 2 * trace.length);
      assertThat(window.used(now)).isEqualTo(model.replayed().used(now));
      assertThat(window.resetAfter(now)).isEqualTo(model.replayed().resetAfter(now));
      assertThat(model.replayed().waitFor(now + wait, request.cost, trace.limit)).isZero();
      assertThat(model.replayed().waitFor(now + wait - 1, request.cost, trace.limit)).isEqualTo(1);
      assertThat(model.allows(now + wait, request.cost)).isTrue();
      assertThat(model.allows(now + wait - 1, request.cost)).isFalse();
    }
  }

  @Property(tries = 300)
  void resetAfter_anyTrace_isWhenNothingCounts(@ForAll("traces") Trace trace) {
    Model model = new Model(trace);
    Window window = trace.window();
    long now = trace.start;
    for (Request request : trace.requests) {
      now += request.ticks;
      if (window.waitFor(now, request.cost, trace.limit) == 0) {
        window.add(now, request.cost);
        model.grants.add(new Grant(now, request.cost));
      }
    }
    long reset = window.resetAfter(now);
    assertThat(model.replayed().used(now + reset)).isZero();
    if (reset > 0) {
      assertThat(model.replayed().used(now + reset - 1)).isPositive();
    }
  }

  @Property(tries = 500)
  void used_clockStepsBack_isNotLess(@ForAll("hostile") Trace trace) {
    Window window = trace.window();
    long now = trace.start;
    for (Request request : trace.requests) {
      long before = window.used(now);
      now += request.ticks;
      if (request.ticks < 0) {
        assertThat(window.used(now)).isGreaterThanOrEqualTo(before);
      }
      takeIfAllowed(window, trace, now, request.cost);
    }
  }

  @Property(tries = 500)
  void used_hostileClock_isNothingAfterTwoWindows(@ForAll("hostile") Trace trace) {
    Window window = trace.window();
    long now = trace.start;
    for (Request request : trace.requests) {
      now += request.ticks;
      window.advance(now);
      assertThat(window.waitFor(now, request.cost, trace.limit)).isBetween(0L, 2 * trace.length);
      takeIfAllowed(window, trace, now, request.cost);
    }
    assertThat(window.resetAfter(now)).isBetween(0L, 2 * trace.length);
    assertThat(window.used(now + 2 * trace.length)).isZero();
  }

  @Property(tries = 500)
  void add_fixedWindowOnAHostileClock_grantsTheLimitOncePerWindowOfForwardTime(
      @ForAll("hostile") Trace trace) {
    Window window = new FixedWindow(trace.length, trace.limit);
    BigInteger forward = BigInteger.ZERO;
    BigInteger granted = BigInteger.ZERO;
    long now = trace.start;
    for (Request request : trace.requests) {
      now += request.ticks;
      forward = forward.add(BigInteger.valueOf(Math.max(0, request.ticks)));
      window.advance(now);
      if (window.waitFor(now, request.cost, trace.limit) == 0) {
        window.add(now, request.cost);
        granted = granted.add(BigInteger.valueOf(request.cost));
      }
    }
    // The first window may be entered just before its end.
    BigInteger windows = forward.divide(BigInteger.valueOf(trace.length)).add(BigInteger.TWO);
    assertThat(granted).isLessThanOrEqualTo(windows.multiply(BigInteger.valueOf(trace.limit)));
  }

  @Property(tries = 500)
  void used_atAnyOtherTimes_changesNothing(@ForAll("hostile") Trace trace) {
    Window window = trace.window();
    Window same = trace.window();
    long now = trace.start;
    for (Request request : trace.requests) {
      long other = now + 3 * request.ticks;
      window.used(other);
      window.waitFor(other, request.cost, trace.limit);
      window.resetAfter(other);
      window.isFull(other);
      now += request.ticks;
      window.advance(now);
      same.advance(now);
      assertThat(window.used(now)).isEqualTo(same.used(now));
      assertThat(window.resetAfter(now)).isEqualTo(same.resetAfter(now));
      takeIfAllowed(window, trace, now, request.cost);
      takeIfAllowed(same, trace, now, request.cost);
    }
  }

  private static void takeIfAllowed(Window window, Trace trace, long now, long cost) {
    if (window.waitFor(now, cost, trace.limit) == 0) {
      window.add(now, cost);
      assertThat(window.used(now)).isLessThanOrEqualTo(trace.limit);
    }
  }

  @Provide
  Arbitrary<Trace> traces() {
    return Arbitraries.oneOf(
        traces(60, 20, 30, 0, 2), traces(1_000, 100_000, 30, 0, 2), traces(0, 0, 12, 0, 2));
  }

  @Provide
  Arbitrary<Trace> hostile() {
    return Arbitraries.oneOf(traces(60, 20, 30, -3, 3), traces(0, 0, 12, -2, 2));
  }

  /** Traces with steps of up to this many lengths; 0 means lengths of years and limits of 10^9. */
  private static Arbitrary<Trace> traces(
      long maxLength, long maxLimit, int requests, int minSteps, int maxSteps) {
    Arbitrary<Long> lengths =
        maxLength == 0
            ? Arbitraries.longs().between(TEN_YEARS / 100, TEN_YEARS)
            : Arbitraries.longs().between(1, maxLength);
    Arbitrary<Long> limits =
        maxLimit == 0
            ? Arbitraries.longs().between(MAX_LIMIT - 1_000, MAX_LIMIT)
            : Arbitraries.longs().between(1, maxLimit);
    Arbitrary<Long> starts = Arbitraries.longs().between(-TEN_YEARS, TEN_YEARS);
    return Combinators.combine(Arbitraries.of(Counting.class), lengths, limits, starts)
        .flatAs(
            (kind, length, limit, start) ->
                Combinators.combine(
                        Arbitraries.longs().between(minSteps * length, maxSteps * length),
                        Arbitraries.longs().between(1, limit))
                    .as(Request::new)
                    .list()
                    .ofMaxSize(requests)
                    .map(list -> new Trace(kind, length, limit, start, list)));
  }
}
