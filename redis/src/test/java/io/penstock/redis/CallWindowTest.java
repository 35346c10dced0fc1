package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallWindowTest {
  private static final long ROUND_TRIP = 1_000_000;

  /** No more than one call fits into it. */
  private static final long SHORT_ROUND_TRIP = 80_000;

  private static final int REPLIES = 10_000;

  private final CallWindow window = new CallWindow();
  private long now = System.nanoTime();

  private void reply(long nanos, int callsInFlight, boolean unloaded) {
    now += nanos / callsInFlight;
    window.replied(now, nanos, callsInFlight, unloaded);
  }

  /** Replies to calls that use the whole window. */
  private void replies(int count, long nanos) {
    for (int i = 0; i < count; i++) {
      reply(nanos, window.calls(), false);
    }
  }

  @Test
  void admits_nothingInFlight_always() {
    assertThat(window.admits(1, 0, 0)).isTrue();
  }

  @Test
  void admits_newWindow_oneCallAtATime() {
    assertThat(window.admits(100, 1, 1)).isFalse();
  }

  @Test
  void admits_partOfTheWaitingRequests_asManyCallsAsTheWindowHas() {
    reply(ROUND_TRIP, 1, true);
    while (window.calls() < 8) {
      replies(1, ROUND_TRIP);
    }
    assertThat(window.calls()).isEqualTo(8);
    assertThat(window.admits(7, 1, 57)).isFalse();
    assertThat(window.admits(8, 1, 56)).isTrue();
    assertThat(window.admits(8, 8, 56)).isFalse();
  }

  @Test
  void replied_withoutQueue_growsWhileTheWindowIsUsed() {
    reply(ROUND_TRIP, 1, true);
    replies(REPLIES, ROUND_TRIP);
    assertThat(window.calls()).isEqualTo(256);
  }

  @Test
  void replied_withoutQueueByFewCallers_staysSmall() {
    for (int i = 0; i < REPLIES; i++) {
      reply(SHORT_ROUND_TRIP, Math.min(4, window.calls()), true);
    }
    assertThat(window.calls()).isEqualTo(8);
  }

  @Test
  void replied_fromAQueue_shrinksToOneCall() {
    reply(SHORT_ROUND_TRIP, 1, true);
    replies(300, SHORT_ROUND_TRIP);
    assertThat(window.calls()).isGreaterThan(16);
    for (int i = 0; i < 300; i++) {
      reply(4 * SHORT_ROUND_TRIP, 64, false);
    }
    assertThat(window.calls()).isEqualTo(1);
  }

  @Test
  void replied_late_keepsTheCallsThatFitIntoTheRoundTrip() {
    reply(ROUND_TRIP, 1, true);
    replies(300, ROUND_TRIP);
    assertThat(window.calls()).isGreaterThan(20);
    for (int i = 0; i < 300; i++) {
      reply(4 * ROUND_TRIP, 64, false);
    }
    assertThat(window.calls()).isEqualTo(20);
  }

  @Test
  void replied_singleSlowCall_changesLittle() {
    reply(ROUND_TRIP, 1, true);
    while (window.calls() < 16) {
      replies(1, ROUND_TRIP);
    }
    int before = window.calls();
    reply(50 * ROUND_TRIP, 16, false);
    replies(20, ROUND_TRIP);
    assertThat(window.calls()).isGreaterThanOrEqualTo(before);
  }

  @Test
  void replied_longerRoundTripWithoutLoad_isUsedAfterAWhile() {
    reply(ROUND_TRIP, 1, true);
    for (int interval = 0; interval < 3; interval++) {
      now += TimeUnit.SECONDS.toNanos(6);
      reply(4 * ROUND_TRIP, 1, true);
    }
    replies(REPLIES, 4 * ROUND_TRIP);
    assertThat(window.calls()).isEqualTo(256);
  }

  @Test
  void replied_onlyUnderLoad_measuresTheRoundTripByASingleCall() {
    probe();
    assertThat(window.admits(256, 1, 256)).isFalse();
    assertThat(window.admits(256, 0, 0)).isTrue();
    reply(2 * ROUND_TRIP, 1, true);
    assertThat(window.isProbing()).isFalse();
  }

  private void probe() {
    reply(ROUND_TRIP, 1, true);
    for (int i = 0; i < 2; i++) {
      now += TimeUnit.SECONDS.toNanos(6);
      reply(ROUND_TRIP, 8, false);
    }
    assertThat(window.isProbing()).isTrue();
  }

  @Test
  void failed_whileProbing_stopsProbing() {
    probe();
    window.failed();
    assertThat(window.isProbing()).isFalse();
  }
}
