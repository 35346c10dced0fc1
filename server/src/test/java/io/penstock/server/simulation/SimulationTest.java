package io.penstock.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.inprocess.InProcessStore;
import io.penstock.server.simulation.SimulationResult.SimulatedPoint;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final TokenBucket TEN = Limit.perSecond(10).burst(50);
  private static final long MILLI = 1_000_000;

  private static SimulationResult run(Duration duration, RetryBehavior retry, Arrival... arrivals) {
    return Simulation.run(new SimulationInput(TEN, List.of(arrivals), duration, retry));
  }

  @Test
  void run_noArrivals_staysFull() {
    SimulationResult result = run(MINUTE, RetryBehavior.NONE);
    assertThat(result.points()).hasSize(600).allMatch(point -> point.level() == 50);
    assertThat(result.step()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void run_burst_isAllowedUpToTheBurst() {
    SimulationResult result = run(MINUTE, RetryBehavior.NONE, new Arrival(0, 70, 1));
    assertThat(result.allowed()).isEqualTo(50);
    assertThat(result.denied()).isEqualTo(20);
    assertThat(result.points().get(0)).isEqualTo(new SimulatedPoint(0, 1, 50, 20));
    assertThat(result.points().get(9).level()).isEqualTo(10);
  }

  @Test
  void run_retryAfterHint_everyRequestIsAllowedInTheEnd() {
    SimulationResult result = run(MINUTE, RetryBehavior.AFTER_HINT, new Arrival(0, 70, 1));
    assertThat(result.allowed()).isEqualTo(70);
  }

  @Test
  void run_retryAtOnce_deniesMoreOften() {
    long hinted = run(MINUTE, RetryBehavior.AFTER_HINT, new Arrival(50, 55, 20)).denied();
    long eager = run(MINUTE, RetryBehavior.AT_ONCE, new Arrival(50, 55, 20)).denied();
    assertThat(eager).isGreaterThan(hinted);
  }

  @Test
  void run_costAboveTheBurst_isNeverRetried() {
    SimulationResult result = run(MINUTE, RetryBehavior.AT_ONCE, new Arrival(0, 3, 51));
    assertThat(result.denied()).isEqualTo(3);
    assertThat(result.allowed()).isZero();
  }

  @Test
  void run_arrivalAfterTheDuration_isIgnored() {
    SimulationResult result =
        run(Duration.ofMillis(10), RetryBehavior.NONE, new Arrival(10 * MILLI, 1, 1));
    assertThat(result.allowed()).isZero();
    assertThat(result.points()).hasSize(10);
  }

  @Test
  void run_endlessRetries_isStopped() {
    List<Arrival> arrivals = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      arrivals.add(new Arrival(i, 1, 50));
    }
    SimulationInput input =
        new SimulationInput(TEN, arrivals, Duration.ofHours(1), RetryBehavior.AT_ONCE);
    assertThatThrownBy(() -> Simulation.run(input)).isInstanceOf(SimulationTooLargeException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void run_randomArrivals_isWhatTheLimiterDecides(long seed) {
    Random random = new Random(seed);
    List<Arrival> arrivals = new ArrayList<>();
    long at = 0;
    for (int i = 0; i < 1_000; i++) {
      at += random.nextInt(200) * MILLI;
      arrivals.add(new Arrival(at, 1 + random.nextInt(4), 1 + random.nextInt(3)));
    }
    Duration duration = Duration.ofNanos(at + MILLI);
    ManualClock clock = new ManualClock();
    RateLimiter limiter =
        RateLimiter.on(InProcessStore.builder().clock(clock).build(), "expected", TEN);
    long allowed = 0;
    long denied = 0;
    for (Arrival arrival : arrivals) {
      clock.set(arrival.atNanos());
      for (int i = 0; i < arrival.requests(); i++) {
        if (limiter.tryAcquire("key", arrival.cost())) {
          allowed++;
        } else {
          denied++;
        }
      }
    }
    SimulationResult result =
        Simulation.run(new SimulationInput(TEN, arrivals, duration, RetryBehavior.NONE));
    assertThat(result.allowed()).isEqualTo(allowed);
    assertThat(result.denied()).isEqualTo(denied);
    assertThat(result.points()).hasSizeLessThanOrEqualTo(Simulation.MAX_POINTS);
    assertThat(result.points().stream().mapToLong(SimulatedPoint::allowed).sum())
        .isEqualTo(allowed);
  }

  @ParameterizedTest
  @EnumSource
  void arrivals_anyPattern_hasAboutTheStatedRequestsWithinTheDuration(TrafficPattern pattern) {
    for (double rate : new double[] {0.5, 20, 3_000}) {
      List<Arrival> arrivals = pattern.arrivals(rate, MINUTE, 20_000);
      long requests = arrivals.stream().mapToLong(Arrival::requests).sum();
      assertThat((double) requests)
          .isBetween(pattern.requests(rate, MINUTE) - 2, pattern.requests(rate, MINUTE) + 2);
      assertThat(arrivals).hasSizeLessThanOrEqualTo(60_000);
      assertThat(arrivals)
          .allMatch(arrival -> arrival.atNanos() >= 0 && arrival.atNanos() < MINUTE.toNanos());
    }
  }
}
