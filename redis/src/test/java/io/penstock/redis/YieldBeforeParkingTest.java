package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class YieldBeforeParkingTest {
  private static final Duration SOON = Duration.ofNanos(200_000);
  private static final Duration LATE = Duration.ofMillis(3);

  private long now = 1_000;
  private Duration turn = SOON;
  private int times;
  private final YieldBeforeParking yielding = new YieldBeforeParking(() -> now, this::others);

  private void others() {
    times++;
    now += turn.toNanos();
  }

  private int timesOf(int callers) {
    int before = times;
    for (int i = 0; i < callers; i++) {
      yielding.yieldIfUseful();
    }
    return times - before;
  }

  @Test
  void yield_scheduledSoon_always() {
    assertThat(timesOf(1_000)).isEqualTo(1_000);
  }

  @Test
  void yield_scheduledLate_stops() {
    turn = LATE;

    assertThat(timesOf(1_000)).isEqualTo(8);
  }

  @Test
  void yield_oneInTwentyIsLate_always() {
    for (int i = 0; i < 1_000; i++) {
      turn = i % 20 == 0 ? LATE : SOON;
      assertThat(timesOf(1)).as("turn %s", i).isEqualTo(1);
    }
  }

  @Test
  void yield_afterLateness_oneAtATimeTriesAgain() {
    turn = LATE;
    timesOf(8);

    now += Duration.ofMillis(250).toNanos();

    assertThat(timesOf(100)).isEqualTo(1);
  }

  @Test
  void yield_scheduledSoonAgain_alwaysAgain() {
    turn = LATE;
    timesOf(8);

    turn = SOON;
    now += Duration.ofMillis(250).toNanos();

    assertThat(timesOf(1_000)).isEqualTo(1_000);
  }

  @Test
  void yield_manyDelayedTogether_countOnce() {
    YieldBeforeParking[] shared = new YieldBeforeParking[1];
    int[] depth = {0};
    shared[0] =
        new YieldBeforeParking(
            () -> now,
            () -> {
              times++;
              // Many callers yield before the first is scheduled again.
              if (depth[0]++ < 50) {
                shared[0].yieldIfUseful();
              } else {
                now += LATE.toNanos();
              }
            });

    shared[0].yieldIfUseful();
    depth[0] = 100;
    int before = times;
    turn = SOON;
    shared[0].yieldIfUseful();

    assertThat(before).isEqualTo(51);
    assertThat(times - before).isEqualTo(1);
  }
}
