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
          Duration.ofMillis(1_600),
          new Upstream.SlowClients(Duration.ofMillis(1_000), 100));
  private final List<String> told = new ArrayList<>();

  @Test
  void look_beforeItsTime_tellsNobody() {
    enter("a");
    looks(160 / 10 + 1);
    assertThat(told).isEmpty();
  }

  @Test
  void look_noAnswerInTime_tells() {
    enter("a");
    looks(160 / 10 + 2);
    assertThat(told).containsExactly("a FIRST_BYTE");
  }

  @Test
  void look_answered_waitsForTheWhole() {
    enter("a").answered();
    looks(1_600 / 10 + 1);
    assertThat(told).isEmpty();
    looks(1);
    assertThat(told).containsExactly("a TOTAL");
  }

  @Test
  void look_clientTakesNothing_tellsAfterTheStall() {
    RequestTimeout stay = enter("a");
    stay.answered();
    looks(50);
    stay.blocked(true);
    looks(100);
    assertThat(told).isEmpty();
    looks(1);
    assertThat(told).containsExactly("a CLIENT");
  }

  @Test
  void look_clientTakesEnough_tellsNobody() {
    RequestTimeout stay = enter("a");
    stay.answered();
    stay.blocked(true);
    for (int i = 0; i < 15; i++) {
      looks(10);
      stay.passed(10);
    }
    assertThat(told).isEmpty();
  }

  @Test
  void look_clientTakesTooLittle_tells() {
    RequestTimeout stay = enter("a");
    stay.answered();
    stay.blocked(true);
    for (int i = 0; i < 15 && told.isEmpty(); i++) {
      looks(10);
      stay.passed(1);
    }
    assertThat(told).containsOnly("a CLIENT");
  }

  /** What it took long ago does not let it stand still for longer. */
  @Test
  void look_clientTookMuchAndThenNothing_tellsAfterTheStall() {
    RequestTimeout stay = enter("a");
    stay.answered();
    stay.passed(1_000_000);
    looks(1);
    stay.blocked(true);
    looks(101);
    assertThat(told).containsExactly("a CLIENT");
  }

  @Test
  void look_left_tellsNobody() {
    RequestTimeout first = enter("a");
    RequestTimeout middle = enter("b");
    RequestTimeout last = enter("c");
    middle.leave();
    middle.leave();
    first.leave();
    looks(1_000);
    assertThat(told).containsOnly("c FIRST_BYTE");
    last.leave();
    told.clear();
    looks(1_000);
    assertThat(told).isEmpty();
  }

  @Test
  void look_oneTakesAnotherAlong_tellsOnlyTheOne() {
    List<RequestTimeout> stays = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      stays.add(
          inFlight.enter(
              why -> {
                told.add(name + " " + why);
                stays.forEach(RequestTimeout::leave);
              }));
    }
    looks(100);
    assertThat(told).hasSize(1);
  }

  @Test
  void look_noTimes_tellsNobody() {
    InFlightRequests patient =
        new InFlightRequests(
            Duration.ZERO, Duration.ZERO, new Upstream.SlowClients(Duration.ofSeconds(60), 1));
    RequestTimeout unused = patient.enter(why -> told.add("" + why));
    for (int i = 0; i < 100_000; i++) {
      patient.look();
    }
    assertThat(told).isEmpty();
    assertThat(patient.periodMillis()).isEqualTo(1_000);
  }

  private RequestTimeout enter(String name) {
    return inFlight.enter((TimeoutKind why) -> told.add(name + " " + why));
  }

  private void looks(int times) {
    for (int i = 0; i < times; i++) {
      inFlight.look();
    }
  }
}
