package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CpuLagTest {
  private static final long TICK_MILLIS = 10;

  private final Timer timer = new Timer();
  private long nowNanos;
  private final CpuLag lag = new CpuLag(timer, () -> nowNanos);

  /** Keeps the tasks instead of running them. */
  private static final class Timer extends ScheduledThreadPoolExecutor {
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    Timer() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      assertThat(unit.toMillis(delay)).isEqualTo(TICK_MILLIS);
      tasks.add(task);
      return null;
    }
  }

  @BeforeEach
  void use() {
    lag.watch();
  }

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private void pass(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Runs the next tick so much later than scheduled. */
  private void tick(long lateMillis) {
    pass(TICK_MILLIS + lateMillis);
    timer.tasks.remove().run();
  }

  private long millisSince(long sinceMillis) {
    return TimeUnit.NANOSECONDS.toMillis(lag.since(TimeUnit.MILLISECONDS.toNanos(sinceMillis)));
  }

  @Test
  void since_ticksInTime_isZero() {
    for (int i = 0; i < 20; i++) {
      tick(i % 2);
    }
    assertThat(millisSince(0)).isZero();
    assertThat(lag.explainsSilenceSince(0)).isFalse();
  }

  @Test
  void since_lateTicks_isTheSumWithinTheInterval() {
    tick(50);
    tick(0);
    tick(30);
    assertThat(millisSince(0)).isEqualTo(80);
    assertThat(millisSince(60)).isEqualTo(30);
    assertThat(millisSince(100)).as("ends at 110").isEqualTo(10);
    assertThat(millisSince(110)).isZero();
  }

  @Test
  void since_overdueTick_countsBeforeItRuns() {
    tick(0);
    pass(TICK_MILLIS + 200);
    assertThat(millisSince(0)).isEqualTo(200);
    assertThat(millisSince(190)).as("now is 220").isEqualTo(30);
  }

  @Test
  void explainsSilence_lateForASmallPart_isFalse() {
    tick(6);
    for (int i = 0; i < 5; i++) {
      tick(0);
    }
    assertThat(lag.explainsSilenceSince(0)).isFalse();
  }

  @Test
  void explainsSilence_lateForMostOfIt_isTrue() {
    tick(40);
    tick(0);
    assertThat(lag.explainsSilenceSince(0)).isTrue();
  }

  @Test
  void since_moreLateTicksThanKept_countsTheLast() {
    for (int i = 0; i < 200; i++) {
      lag.watch();
      tick(5);
    }
    assertThat(millisSince(0)).isEqualTo(128 * 5);
  }

  @Test
  void watch_unused_ticksEndAfterASecondAndStartAgain() {
    for (int i = 0; i < 101; i++) {
      tick(0);
    }
    assertThat(timer.tasks).isEmpty();
    pass(5_000);
    assertThat(millisSince(0)).as("nothing is due").isZero();
    lag.watch();
    assertThat(timer.tasks).hasSize(1);
    lag.watch();
    assertThat(timer.tasks).hasSize(1);
  }
}
