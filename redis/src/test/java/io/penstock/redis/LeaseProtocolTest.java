package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.penstock.Limit;
import io.penstock.TokenBucket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * P1 of leases, on thousands of schedules: in each of them, the grants in any interval are within
 * the limit, and what nodes could still grant is missing at the store at every step. Schedules with
 * one rule omitted show that each rule is necessary, and that a violation would be detected.
 */
class LeaseProtocolTest {
  private static final boolean FULL = Boolean.getBoolean("penstock.full");
  private static final int SCHEDULES = FULL ? 3_000 : 300;
  private static final int MAX_SCHEDULES = 60_000;
  private static final int STEPS = 400;
  private static final double DRIFT = 0.01;

  private static final List<TokenBucket> LIMITS =
      List.of(
          Limit.perSecond(10).burst(16),
          Limit.perSecond(100).burst(64),
          Limit.perSecond(7).burst(100),
          Limit.perSecond(1_000).burst(40),
          Limit.perMinute(1).burst(32));

  private static LeaseWorld world(long seed, double drift, LeaseFlaw... flaws) {
    TokenBucket limit = LIMITS.get((int) (seed % LIMITS.size()));
    return new LeaseWorld(seed, limit, 2 + (int) (seed % 3), drift, flaws);
  }

  @Test
  void schedules_whateverHappens_stayWithinTheLimit() {
    long leased = 0;
    long exact = 0;
    long lost = 0;
    long overdue = 0;
    for (long seed = 0; seed < SCHEDULES; seed++) {
      LeaseWorld world = world(seed, DRIFT);
      try {
        world.run(STEPS);
      } catch (AssertionError broken) {
        throw new AssertionError("seed " + seed, broken);
      }
      leased += world.leased;
      exact += world.exact;
      lost += world.lost;
      overdue += world.overdue;
    }
    System.out.printf(
        "%d schedules: %d grants from leases, %d by the store, %d messages lost, %d calls given"
            + " up%n",
        SCHEDULES, leased, exact, lost, overdue);
    assertThat(leased).isGreaterThan(SCHEDULES);
    assertThat(exact).isGreaterThan(SCHEDULES);
    assertThat(lost).isGreaterThan(SCHEDULES);
    assertThat(overdue).isGreaterThan(SCHEDULES);
  }

  @Test
  void schedules_withClocksOffByNearlyTheMargin_stayWithinTheLimit() {
    for (long seed = 0; seed < SCHEDULES / 3; seed++) {
      try {
        world(seed, 0.1).run(STEPS);
      } catch (AssertionError broken) {
        throw new AssertionError("seed " + seed, broken);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(LeaseFlaw.class)
  void schedules_withARuleOmitted_exceedTheLimit(LeaseFlaw flaw) {
    // A clock that is off by almost the tolerated drift needs all of the margin.
    double drift = flaw == LeaseFlaw.NO_MARGIN ? 0.1 : DRIFT;
    // The first 3,000 schedules are known not to reveal this one.
    assertBreaks(flaw == LeaseFlaw.CLOCK_READ_FIRST && !FULL ? 3_000 : 0, drift, flaw);
  }

  @Test
  void schedules_withClocksOffByMoreThanTheMargin_exceedTheLimit() {
    assertBreaks(0, 0.3);
  }

  private static void assertBreaks(int firstSeed, double drift, LeaseFlaw... flaws) {
    for (long seed = firstSeed; seed < MAX_SCHEDULES; seed++) {
      try {
        world(seed, drift, flaws).run(STEPS);
      } catch (AssertionError broken) {
        System.out.printf("%s, drift %s: broken by seed %d%n", List.of(flaws), drift, seed);
        return;
      }
    }
    fail("nothing broken by %s, drift %s", List.of(flaws), drift);
  }
}
