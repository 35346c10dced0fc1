package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WindowClockTest {
  private static final long HOUR = Duration.ofHours(1).toNanos() / 1_000;
  private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

  private final WindowClock clock = new WindowClock();

  @Test
  void micros_beforeAReply_areThoseOfTheSystemClock() {
    long before = System.currentTimeMillis() * 1_000;
    assertThat(clock.micros()).isBetween(before - HOUR, before + HOUR);
  }

  @Test
  void replied_serverIsAhead_followsIt() {
    long server = clock.micros() + HOUR;
    clock.replied(server, 0);
    assertThat(clock.micros()).isBetween(server, server + HOUR / 2);
  }

  @Test
  void replied_serverIsBehind_followsIt() {
    long server = clock.micros() - HOUR;
    clock.replied(server, 0);
    assertThat(clock.micros()).isBetween(server, server + HOUR / 2);
  }

  @Test
  void replied_withinTheDurationOfTheCall_changesNothing() {
    long before = clock.nanos();
    clock.replied(before / 1_000 - MINUTE_NANOS / 2_000, MINUTE_NANOS);
    assertThat(clock.nanos()).isGreaterThanOrEqualTo(before);
  }
}
