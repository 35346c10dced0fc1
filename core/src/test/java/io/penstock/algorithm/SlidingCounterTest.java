package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlidingCounterTest {
  private static final long LIMIT = 10;

  private final Window window = new SlidingCounter(100, LIMIT);

  @Test
  void used_inTheNextWindow_isTheShareThatOverlaps() {
    window.add(0, 8);

    assertThat(window.used(99)).isEqualTo(8);
    assertThat(window.used(100)).isEqualTo(8);
    assertThat(window.used(150)).isEqualTo(4);
    assertThat(window.used(175)).isEqualTo(2);
    assertThat(window.used(200)).isZero();
  }

  @Test
  void used_shareNotWhole_isRoundedUp() {
    window.add(0, 8);

    assertThat(window.used(101)).isEqualTo(8);
    assertThat(window.used(199)).isEqualTo(1);
  }

  @Test
  void used_bothWindows_isTheSum() {
    window.add(0, 8);
    window.add(150, 5);

    assertThat(window.used(150)).isEqualTo(9);
    assertThat(window.used(200)).isEqualTo(5);
  }

  @Test
  void used_afterTwoIdleWindows_isNothing() {
    window.add(99, 10);

    assertThat(window.used(200)).isZero();
  }

  @Test
  void waitFor_previousCountTooLarge_waitsForItsFractionToShrink() {
    window.add(0, 10);

    // 10 x 75/100 = 7.5, and 7.5 + 3 is too much until the share is 70/100
    assertThat(window.waitFor(125, 3, LIMIT)).isEqualTo(5);
    assertThat(window.waitFor(129, 3, LIMIT)).isEqualTo(1);
    assertThat(window.waitFor(130, 3, LIMIT)).isZero();
  }

  @Test
  void waitFor_currentCountTooLarge_waitsIntoTheNextWindow() {
    window.add(20, 10);

    assertThat(window.waitFor(20, 1, LIMIT)).isEqualTo(90);
    assertThat(window.waitFor(109, 1, LIMIT)).isEqualTo(1);
    assertThat(window.waitFor(110, 1, LIMIT)).isZero();
  }

  @Test
  void waitFor_wholeLimitAfterWholeLimit_isAlmostTwoWindows() {
    window.add(0, 10);

    assertThat(window.waitFor(0, 10, LIMIT)).isEqualTo(200);
  }

  @Test
  void waitFor_denied_changesNothing() {
    window.add(0, 6);

    window.waitFor(50, 9, LIMIT);

    assertThat(window.used(50)).isEqualTo(6);
    assertThat(window.waitFor(50, 4, LIMIT)).isZero();
  }

  @Test
  void resetAfter_currentOrPrevious_isTheEndOfItsShare() {
    assertThat(window.resetAfter(0)).isZero();

    window.add(30, 1);

    assertThat(window.resetAfter(30)).isEqualTo(170);
    assertThat(window.resetAfter(130)).isEqualTo(70);
    assertThat(window.resetAfter(200)).isZero();
  }

  @Test
  void used_afterAStepBackWithinTheWindow_isNotLess() {
    window.add(0, 10);
    long before = window.used(180);

    assertThat(window.used(120)).isGreaterThanOrEqualTo(before);
  }

  @Test
  void addForeign_beyondTheLimit_countsInTheNextWindows() {
    window.add(0, 4);
    window.addForeign(50, 20, 40);

    assertThat(window.used(50)).isEqualTo(24);
    assertThat(window.used(100)).isEqualTo(24);
    assertThat(window.used(150)).isEqualTo(19);
    assertThat(window.used(200)).isEqualTo(14);
    assertThat(window.used(250)).isEqualTo(9);
    assertThat(window.used(350)).isEqualTo(2);
    assertThat(window.used(400)).isZero();
    assertThat(window.resetAfter(50)).isEqualTo(350);
    window.advance(250);
    assertThat(window.used(250)).isEqualTo(9);
    assertThat(window.used(350)).isEqualTo(2);
  }

  @Test
  void waitFor_countBeyondTheLimit_isExact() {
    window.add(0, 4);
    window.addForeign(50, 20, 40);

    for (long cost = 1; cost <= LIMIT; cost++) {
      long wait = window.waitFor(60, cost, LIMIT);
      assertThat(window.used(60 + wait) + cost).as("after").isLessThanOrEqualTo(LIMIT);
      assertThat(window.used(60 + wait - 1) + cost).as("before").isGreaterThan(LIMIT);
    }
  }

  @Test
  void addForeign_beyondTheMaximum_isNotCounted() {
    window.addForeign(0, 7, 10);
    window.addForeign(0, 7, 10);

    assertThat(window.used(0)).isEqualTo(10);
    assertThat(window.resetAfter(0)).isEqualTo(200);
  }

  @Test
  void waitFor_longestWindowAndLargestLimit_isExact() {
    long tenYears = 315_619_200_000_000_000L;
    long most = 1_000_000_000_000L;
    Window years = new SlidingCounter(tenYears, most);
    years.add(0, most);
    long now = tenYears + 1;

    long wait = years.waitFor(now, 1, most);

    // one thousandth of 10^12 is free after 1/10^12 of the window: 315,619.2 ticks
    assertThat(now + wait).isEqualTo(tenYears + 315_620);
  }
}
