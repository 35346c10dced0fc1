package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.proxy.InFlightRequests.RequestTimeout;
import io.penstock.server.proxy.InFlightRequests.TimeoutKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InFlightRequestsTest {
  private final InFlightRequests inFlight =
      new InFlightRequests(
          Duration.ofMillis(160),
          Duration.ZERO,
          Duration.ofMillis(1_600),
          new Upstream.SlowClients(Duration.ofMillis(1_000), 100));
  private final List<String> reported = new ArrayList<>();

  @Test
  void scan_beforeTheTimeout_reportsNothing() {
    enter("a");
    looks(160 / 10 + 1);
    assertThat(reported).isEmpty();
  }

  @Test
  void scan_noResponseInTime_reportsFirstByteTimeout() {
    enter("a");
    looks(160 / 10 + 2);
    assertThat(reported).containsExactly("a FIRST_BYTE");
  }

  @Test
  void scan_responded_onlyTheTotalTimeoutApplies() {
    enter("a").responded();
    looks(1_600 / 10 + 1);
    assertThat(reported).isEmpty();
    looks(1);
    assertThat(reported).containsExactly("a TOTAL");
  }

  @Test
  void scan_uploadContinues_theTimeForTheResponseStartsAgain() {
    RequestTimeout timeout = enter("a");
    for (int i = 0; i < 5; i++) {
      looks(160 / 10);
      timeout.uploaded(1);
    }
    looks(160 / 10 + 1);
    assertThat(reported).isEmpty();
    looks(1);
    assertThat(reported).containsExactly("a FIRST_BYTE");
  }

  @Test
  void scan_clientSendsNothing_timesOutAfterTheStall() {
    RequestTimeout timeout = enter("a");
    timeout.awaitsRequest(true);
    for (int i = 0; i < 10; i++) {
      looks(10);
      timeout.uploaded(0);
    }
    assertThat(reported).isEmpty();
    looks(1);
    assertThat(reported).containsExactly("a CLIENT");
  }

  @Test
  void scan_respondedWithinTheUpload_clientMaySendSlowly() {
    RequestTimeout timeout = enter("a");
    timeout.awaitsRequest(true);
    timeout.responded();
    timeout.awaitsRequest(true);
    looks(150);
    assertThat(reported).isEmpty();
  }

  @Test
  void scan_clientReadsNothing_timesOutAfterTheStall() {
    RequestTimeout timeout = enter("a");
    timeout.responded();
    looks(50);
    timeout.blocked(true);
    looks(100);
    assertThat(reported).isEmpty();
    looks(1);
    assertThat(reported).containsExactly("a CLIENT");
  }

  @Test
  void scan_clientReadsEnough_reportsNothing() {
    RequestTimeout timeout = enter("a");
    timeout.responded();
    timeout.blocked(true);
    for (int i = 0; i < 15; i++) {
      looks(10);
      timeout.forwarded(10);
    }
    assertThat(reported).isEmpty();
  }

  @Test
  void scan_clientReadsTooLittle_timesOut() {
    RequestTimeout timeout = enter("a");
    timeout.responded();
    timeout.blocked(true);
    for (int i = 0; i < 15 && reported.isEmpty(); i++) {
      looks(10);
      timeout.forwarded(1);
    }
    assertThat(reported).containsOnly("a CLIENT");
  }

  /** Data that the client read earlier does not extend the time for which it may stall. */
  @Test
  void scan_clientReadsMuchThenNothing_timesOutAfterTheStall() {
    RequestTimeout timeout = enter("a");
    timeout.responded();
    timeout.forwarded(1_000_000);
    looks(1);
    timeout.blocked(true);
    looks(101);
    assertThat(reported).containsExactly("a CLIENT");
  }

  @Test
  void scan_removed_reportsNothing() {
    RequestTimeout first = enter("a");
    RequestTimeout middle = enter("b");
    RequestTimeout last = enter("c");
    middle.remove();
    middle.remove();
    first.remove();
    looks(1_000);
    assertThat(reported).containsOnly("c FIRST_BYTE");
    last.remove();
    reported.clear();
    looks(1_000);
    assertThat(reported).isEmpty();
  }

  @Test
  void scan_callbackRemovesAnother_reportsOnlyOne() {
    List<RequestTimeout> timeouts = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      timeouts.add(
          inFlight.enter(
              timeoutKind -> {
                reported.add(name + " " + timeoutKind);
                timeouts.forEach(RequestTimeout::remove);
              }));
    }
    looks(100);
    assertThat(reported).hasSize(1);
  }

  @Test
  void scan_noTimeouts_reportsNothing() {
    InFlightRequests patient =
        new InFlightRequests(
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO,
            new Upstream.SlowClients(Duration.ofSeconds(60), 1));
    RequestTimeout unused = patient.enter(timeoutKind -> reported.add("" + timeoutKind));
    for (int i = 0; i < 100_000; i++) {
      patient.scan();
    }
    assertThat(reported).isEmpty();
    assertThat(patient.periodMillis()).isEqualTo(1_000);
  }

  @Test
  void scan_responseStops_reportsIdleTimeout() {
    InFlightRequests requests = withIdleTimeout();
    RequestTimeout timeout = enter(requests, "a");
    looks(requests, 50);
    assertThat(reported).isEmpty();
    timeout.responded();
    looks(requests, 160 / 10 + 1);
    assertThat(reported).isEmpty();
    looks(requests, 1);
    assertThat(reported).containsExactly("a IDLE");
  }

  @Test
  void scan_partsOfAStartedExchange_theIdleTimeoutStartsAgain() {
    InFlightRequests requests = withIdleTimeout();
    RequestTimeout timeout = enter(requests, "a");
    timeout.responded();
    for (int i = 0; i < 5; i++) {
      looks(requests, 160 / 10);
      timeout.forwarded(1);
      looks(requests, 160 / 10);
      timeout.uploaded(1);
    }
    assertThat(reported).isEmpty();
    looks(requests, 160 / 10 + 2);
    assertThat(reported).containsExactly("a IDLE");
  }

  @Test
  void scan_clientBlocksTheOrigin_theIdleTimeoutStartsAfterwards() {
    InFlightRequests requests = withIdleTimeout();
    RequestTimeout timeout = enter(requests, "a");
    timeout.responded();
    timeout.blocked(true);
    looks(requests, 90);
    timeout.blocked(false);
    looks(requests, 160 / 10 + 1);
    assertThat(reported).isEmpty();
    looks(requests, 1);
    assertThat(reported).containsExactly("a IDLE");
  }

  private static InFlightRequests withIdleTimeout() {
    return new InFlightRequests(
        Duration.ZERO,
        Duration.ofMillis(160),
        Duration.ZERO,
        new Upstream.SlowClients(Duration.ofMillis(1_000), 100));
  }

  private RequestTimeout enter(String name) {
    return enter(inFlight, name);
  }

  private RequestTimeout enter(InFlightRequests requests, String name) {
    return requests.enter((TimeoutKind timeoutKind) -> reported.add(name + " " + timeoutKind));
  }

  private void looks(int times) {
    looks(inFlight, times);
  }

  private static void looks(InFlightRequests requests, int times) {
    for (int i = 0; i < times; i++) {
      requests.scan();
    }
  }
}
