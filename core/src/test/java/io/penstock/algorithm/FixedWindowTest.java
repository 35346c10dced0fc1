package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FixedWindowTest {
  private static final long LIMIT = 5;

  private final Window window = new FixedWindow(10, LIMIT);

  @Test
  void used_withinOneWindow_isTheSum() {
    window.add(20, 2);
    window.add(29, 3);

    assertThat(window.used(29)).isEqualTo(5);
  }

  @Test
  void used_atTheNextBoundary_isNothing() {
    window.add(29, 5);

    assertThat(window.used(30)).isZero();
  }

  @Test
  void used_negativeTimes_hasWindowsOfTheSameLength() {
    window.add(-1, 5);

    assertThat(window.used(0)).isZero();
  }

  @Test
  void waitFor_costThatFits_isZero() {
    window.add(20, 2);

    assertThat(window.waitFor(21, 3, LIMIT)).isZero();
  }

  @Test
  void waitFor_costThatDoesNotFit_isTheRestOfTheWindow() {
    window.add(20, 3);

    assertThat(window.waitFor(27, 3, LIMIT)).isEqualTo(3);
    assertThat(window.waitFor(29, 3, LIMIT)).isEqualTo(1);
    assertThat(window.waitFor(30, 3, LIMIT)).isZero();
  }

  @Test
  void waitFor_denied_changesNothing() {
    window.add(20, 3);

    window.waitFor(21, 5, LIMIT);

    assertThat(window.used(21)).isEqualTo(3);
    assertThat(window.waitFor(21, 2, LIMIT)).isZero();
  }

  @Test
  void resetAfter_somethingUsed_isTheRestOfTheWindow() {
    assertThat(window.resetAfter(23)).isZero();

    window.add(23, 1);

    assertThat(window.resetAfter(24)).isEqualTo(6);
    assertThat(window.resetAfter(30)).isZero();
  }

  @Test
  void used_afterAStepBack_staysForOneWindowFromThere() {
    window.add(75, 5);
    window.advance(12);

    assertThat(window.used(12)).isEqualTo(5);
    assertThat(window.waitFor(12, 1, LIMIT)).isEqualTo(10);
    assertThat(window.used(21)).isEqualTo(5);
    assertThat(window.used(22)).isZero();
  }

  @Test
  void used_clockMovesBackAndForthAcrossABoundary_opensNoWindow() {
    window.add(21, 5);
    window.advance(19);

    assertThat(window.used(21)).isEqualTo(5);
    assertThat(window.waitFor(21, 1, LIMIT)).isEqualTo(8);
  }

  @Test
  void add_afterAWindowThatAStepBackMoved_followsItUntilUnused() {
    window.add(21, 5);
    window.advance(19);
    window.add(29, 5);

    assertThat(window.resetAfter(29)).as("not only to the boundary at 30").isEqualTo(10);
    window.add(52, 1);
    assertThat(window.resetAfter(52)).as("aligned again").isEqualTo(8);
  }

  @Test
  void addForeign_beyondTheLimit_countsInTheNextWindows() {
    window.add(20, 2);
    window.addForeign(21, 10, 20);

    assertThat(window.used(29)).isEqualTo(12);
    assertThat(window.used(30)).isEqualTo(7);
    assertThat(window.used(40)).isEqualTo(2);
    assertThat(window.used(50)).isZero();
    assertThat(window.resetAfter(25)).isEqualTo(25);
    assertThat(window.resetAfter(39)).isEqualTo(11);
    window.add(45, 3);
    assertThat(window.used(49)).isEqualTo(5);
    assertThat(window.used(50)).isZero();
  }

  @Test
  void waitFor_countBeyondTheLimit_isTheTimeUntilTheCostFits() {
    window.addForeign(21, 12, 20);

    assertThat(window.waitFor(25, 3, LIMIT)).isEqualTo(15);
    assertThat(window.waitFor(25, 4, LIMIT)).isEqualTo(25);
    assertThat(window.waitFor(40, 3, LIMIT)).isZero();
    assertThat(window.waitFor(40, 4, LIMIT)).isEqualTo(10);
  }

  @Test
  void addForeign_beyondTheMaximum_isNotCounted() {
    window.addForeign(21, 12, 9);
    window.addForeign(22, 12, 9);

    assertThat(window.used(22)).isEqualTo(9);
  }

  @Test
  void advance_stepBackWithACountBeyondTheLimit_keepsIt() {
    window.addForeign(75, 12, 20);
    window.advance(12);

    assertThat(window.used(21)).isEqualTo(12);
    assertThat(window.used(22)).isEqualTo(7);
    assertThat(window.used(32)).isEqualTo(2);
    assertThat(window.used(42)).isZero();
    window.advance(33);
    assertThat(window.used(33)).isEqualTo(2);
    assertThat(window.resetAfter(33)).isEqualTo(9);
  }

  @Test
  void maxCount_anyLengths_isWhatTheLongestReleases() {
    assertThat(window.maxCount(LIMIT, 0)).isEqualTo(5);
    assertThat(window.maxCount(LIMIT, 10)).isEqualTo(10);
    assertThat(window.maxCount(LIMIT, 11)).isEqualTo(15);
    Window tick = new FixedWindow(1, 1_000_000_000_000L);
    long years = Duration.ofDays(3653).toNanos();
    tick.addForeign(0, 1_000_000_000_000L, tick.maxCount(1_000_000_000_000L, years));
    assertThat(tick.maxCount(1_000_000_000_000L, years)).isGreaterThan(1_000_000_000_000_000_000L);
    assertThat(tick.used(0)).isEqualTo(1_000_000_000_000L);
  }

  @Test
  void used_longestWindowAndLargestLimit_doesNotOverflow() {
    Window years = Window.of(Limit.fixedWindow(1e9, Duration.ofDays(3653)), 1);
    long most = 1_000_000_000_000L;
    years.add(0, most);

    assertThat(years.used(Duration.ofDays(3653).toNanos() - 1)).isEqualTo(most);
    assertThat(years.waitFor(0, 1, most)).isEqualTo(Duration.ofDays(3653).toNanos());
    assertThat(years.used(Duration.ofDays(3653).toNanos())).isZero();
  }

  @Test
  void of_lengthNotAWholeNumberOfTicks_roundsUp() {
    Window micros = Window.of(Limit.fixedWindow(5, Duration.ofNanos(1_001)), 1_000);
    micros.add(0, 5);

    assertThat(micros.resetAfter(0)).isEqualTo(2);
  }
}
