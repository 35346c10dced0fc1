package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlidingLogTest {
  private static final long LIMIT = 5;

  private final Window window = new SlidingLog(10);

  @Test
  void used_whereverTheWindowBegins_countsTheLastLength() {
    window.add(3, 2);
    window.add(8, 3);

    assertThat(window.used(12)).isEqualTo(5);
    assertThat(window.used(13)).isEqualTo(3);
    assertThat(window.used(17)).isEqualTo(3);
    assertThat(window.used(18)).isZero();
  }

  @Test
  void waitFor_costThatDoesNotFit_waitsUntilEnoughHasExpired() {
    window.add(3, 2);
    window.add(5, 1);
    window.add(8, 2);

    assertThat(window.waitFor(9, 1, LIMIT)).isEqualTo(4);
    assertThat(window.waitFor(9, 2, LIMIT)).isEqualTo(4);
    assertThat(window.waitFor(9, 3, LIMIT)).isEqualTo(6);
    assertThat(window.waitFor(9, 5, LIMIT)).isEqualTo(9);
  }

  @Test
  void addForeign_beyondTheMaximum_forgetsTheOldest() {
    window.add(3, 2);
    window.add(5, 2);
    window.addForeign(8, 4, LIMIT);

    assertThat(window.used(8)).isEqualTo(5);
    assertThat(window.waitFor(8, 1, LIMIT)).as("1 is left of the entry at 5").isEqualTo(7);
    assertThat(window.used(15)).isEqualTo(4);
    window.addForeign(16, 12, LIMIT);
    assertThat(window.used(25)).isEqualTo(5);
    assertThat(window.used(26)).isZero();
  }

  @Test
  void waitFor_denied_changesNothing() {
    window.add(3, 3);

    window.waitFor(4, 5, LIMIT);

    assertThat(window.used(4)).isEqualTo(3);
    assertThat(window.waitFor(4, 2, LIMIT)).isZero();
  }

  @Test
  void resetAfter_somethingUsed_isTheExpiryOfTheNewest() {
    assertThat(window.resetAfter(0)).isZero();

    window.add(3, 1);
    window.add(7, 1);

    assertThat(window.resetAfter(9)).isEqualTo(8);
    assertThat(window.resetAfter(17)).isZero();
  }

  @Test
  void add_atTheSameInstant_takesNoMoreMemory() {
    for (int i = 0; i < 1_000; i++) {
      window.add(3, 1);
    }

    assertThat(window.used(3)).isEqualTo(1_000);
    assertThat(window.weight()).isEqualTo(1);
  }

  @Test
  void weight_manyInstants_growsWithThem() {
    Window wide = new SlidingLog(1_000);
    for (int t = 0; t < 100; t++) {
      wide.add(t, 1);
    }

    assertThat(wide.weight()).isEqualTo(32);
    assertThat(wide.used(99)).isEqualTo(100);
  }

  @Test
  void used_ringWrappedAndGrown_keepsTheOrder() {
    Window wide = new SlidingLog(8);
    for (int t = 0; t < 100; t++) {
      wide.add(t, t);
    }

    assertThat(wide.used(99)).isEqualTo(92 + 93 + 94 + 95 + 96 + 97 + 98 + 99);
    assertThat(wide.used(105)).isEqualTo(98 + 99);
  }

  @Test
  void used_afterAStepBack_countsFromThenOn() {
    window.add(75, 2);
    window.add(78, 3);
    window.advance(12);

    assertThat(window.used(12)).isEqualTo(5);
    assertThat(window.waitFor(12, 1, LIMIT)).isEqualTo(10);
    assertThat(window.used(21)).isEqualTo(5);
    assertThat(window.used(22)).isZero();
  }

  @Test
  void used_stepBackBetweenTwo_movesOnlyTheLater() {
    window.add(3, 2);
    window.add(9, 3);
    window.advance(5);

    assertThat(window.used(5)).isEqualTo(5);
    assertThat(window.used(13)).isEqualTo(3);
    assertThat(window.used(15)).isZero();
  }

  @Test
  void used_clockThatWrapsAround_isCountedByDifference() {
    window.add(Long.MAX_VALUE - 2, 5);

    assertThat(window.used(Long.MIN_VALUE + 6)).isEqualTo(5);
    assertThat(window.used(Long.MIN_VALUE + 7)).isZero();
  }
}
