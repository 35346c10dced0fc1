package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FixedWindowTest {
  private static final long LIMIT = 5;

  private final Window window = new FixedWindow(10);

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
