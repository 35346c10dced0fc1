package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallWindowTest {
  private static final long MICRO = 1_000;
  private static final long LOOPBACK = 70 * MICRO;
  private static final long NETWORK = 1_000 * MICRO;

  private final CallWindow window = new CallWindow();
  private long now = System.nanoTime();

  private void reply(long nanos, boolean unloaded) {
    now += nanos;
    window.replied(now, nanos, unloaded);
  }

  private void sendDistinct() {
    for (int i = 0; i < 1_000; i++) {
      window.sending("key" + i);
    }
  }

  private void sendRepeated() {
    for (int i = 0; i < 1_000; i++) {
      window.sending("key");
    }
  }

  /** Returns the size of the first call that is sent behind one that has the other requests. */
  private int callSize(int requests) {
    int queued = 1;
    while (!window.admits(queued, 1, requests - queued)) {
      queued++;
    }
    return queued;
  }

  @Test
  void admits_nothingInFlight_always() {
    assertThat(window.admits(1, 0, 0)).isTrue();
  }

  @Test
  void admits_unknownRoundTrip_oneCallAtATime() {
    assertThat(window.admits(100, 1, 1)).isFalse();
  }

  @Test
  void admits_distinctKeys_fewLargeCallsNearbyAndManyOnANetwork() {
    sendDistinct();
    reply(LOOPBACK, true);
    assertThat(callSize(4)).isEqualTo(1);
    assertThat(callSize(64)).isEqualTo(16);
    assertThat(window.admits(64, 4, 64)).isFalse();
    CallWindow far = new CallWindow();
    far.replied(now, NETWORK, true);
    assertThat(far.admits(1, 1, 63)).isTrue();
    assertThat(far.admits(1, 1, 255)).isFalse();
    assertThat(far.admits(4, 1, 252)).isTrue();
  }

  @Test
  void admits_repeatedKey_oneCallNearbyAndSomeOnANetwork() {
    sendRepeated();
    reply(LOOPBACK, true);
    assertThat(window.isRepeated()).isTrue();
    assertThat(window.admits(64, 1, 64)).isFalse();
    CallWindow far = new CallWindow();
    far.replied(now, NETWORK, true);
    for (int i = 0; i < 1_000; i++) {
      far.sending("key");
    }
    assertThat(far.admits(1, 1, 63)).isFalse();
    assertThat(far.admits(8, 1, 56)).isTrue();
    assertThat(far.admits(100, 8, 56)).isFalse();
  }

  @Test
  void replied_underLoad_doesNotChangeTheRoundTrip() {
    sendDistinct();
    reply(LOOPBACK, true);
    for (int i = 0; i < 1_000; i++) {
      reply(NETWORK, false);
    }
    assertThat(callSize(64)).isEqualTo(16);
  }

  @Test
  void replied_longerRoundTripsWithoutLoad_areUsedAfterAWhile() {
    reply(LOOPBACK, true);
    now += TimeUnit.SECONDS.toNanos(6);
    reply(NETWORK, true);
    reply(NETWORK, true);
    assertThat(callSize(64)).isEqualTo(16);
    now += TimeUnit.SECONDS.toNanos(6);
    reply(NETWORK, true);
    // At most doubled, because one slow call proves little.
    assertThat(callSize(64)).isEqualTo(8);
    assertThat(window.isProbing()).isFalse();
  }

  @Test
  void replied_onlyUnderLoad_measuresTheRoundTripByASingleCall() {
    probe();
    assertThat(window.admits(256, 1, 256)).isFalse();
    assertThat(window.admits(256, 0, 0)).isTrue();
    reply(2 * NETWORK, true);
    assertThat(window.isProbing()).isFalse();
    assertThat(callSize(64)).isEqualTo(8);
  }

  private void probe() {
    reply(LOOPBACK, true);
    for (int i = 0; i < 2; i++) {
      now += TimeUnit.SECONDS.toNanos(6);
      reply(NETWORK, false);
    }
    assertThat(window.isProbing()).isTrue();
  }

  @Test
  void failed_whileProbing_sendsOn() {
    probe();
    window.failed();
    assertThat(window.admits(1, 1, 3)).isTrue();
  }
}
