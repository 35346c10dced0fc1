package io.penstock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManualClockTest {
  private final ManualClock clock = new ManualClock();
  private final List<String> ran = new ArrayList<>();

  @Test
  void nanos_notMoved_staysTheSame() {
    assertThat(clock.nanos()).isZero();
    assertThat(new ManualClock(-7).nanos()).isEqualTo(-7);
  }

  @Test
  void advance_eitherWay_movesByThatMuch() {
    clock.advance(Duration.ofSeconds(2));
    clock.advanceNanos(5);
    clock.advance(Duration.ofSeconds(-1));

    assertThat(clock.nanos()).isEqualTo(1_000_000_005);
  }

  @Test
  void schedule_later_runsWhenTheTimeHasCome() {
    clock.schedule(10, () -> ran.add("ten"));

    clock.advanceNanos(9);
    assertThat(ran).isEmpty();
    assertThat(clock.waiting()).isEqualTo(1);

    clock.advanceNanos(1);
    assertThat(ran).containsExactly("ten");
    assertThat(clock.waiting()).isZero();
  }

  @Test
  void schedule_several_runByTimeThenByArrival() {
    clock.schedule(20, () -> ran.add("late"));
    clock.schedule(10, () -> ran.add("first"));
    clock.schedule(10, () -> ran.add("second"));

    clock.set(20);

    assertThat(ran).containsExactly("first", "second", "late");
  }

  @Test
  void schedule_nothingToWaitFor_runsImmediately() {
    clock.schedule(0, () -> ran.add("now"));

    assertThat(ran).containsExactly("now");
    assertThat(clock.waiting()).isZero();
  }

  @Test
  void schedule_fromWithinATask_countsFromTheNewTime() {
    clock.schedule(10, () -> clock.schedule(10, () -> ran.add("again")));

    clock.set(10);
    assertThat(ran).isEmpty();

    clock.set(20);
    assertThat(ran).containsExactly("again");
  }

  @Test
  void set_backwards_runsNothing() {
    clock.set(100);
    clock.schedule(10, () -> ran.add("due at 110"));

    clock.set(0);
    clock.set(109);
    assertThat(ran).isEmpty();

    clock.set(110);
    assertThat(ran).containsExactly("due at 110");
  }

  @Test
  void sleep_nothing_returnsImmediately() throws InterruptedException {
    clock.sleep(0);

    assertThat(clock.waiting()).isZero();
  }
}
