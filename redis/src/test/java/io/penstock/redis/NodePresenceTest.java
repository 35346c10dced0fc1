package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodePresenceTest {
  private final Counts observer = new Counts();
  private final Deque<Supplier<CompletableFuture<Long>>> replies = new ArrayDeque<>();
  private final Timer timer = new Timer();
  private long nowNanos;
  private final NodePresence presence =
      new NodePresence(
          0, "p:", (key, node, ttl) -> replies.remove().get(), observer, timer, () -> nowNanos);

  /** Keeps the last task instead of running it. */
  private static final class Timer extends ScheduledThreadPoolExecutor {
    private @Nullable Runnable next;
    private long delayMillis;

    Timer() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      next = task;
      delayMillis = unit.toMillis(delay);
      return null;
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    void runNext() {
      Objects.requireNonNull(next).run();
    }
  }

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private void counted(long nodes) {
    replies.add(() -> CompletableFuture.completedFuture(nodes));
  }

  private void failed(Exception failure) {
    replies.add(() -> CompletableFuture.failedFuture(failure));
  }

  private void rejected(String message) {
    failed(new RedisCommandExecutionException(message));
  }

  @Test
  void count_registered_isTheNumberInRedis() {
    counted(3);
    assertThat(presence.count()).isEqualTo(3);
    assertThat(observer.registrationErrors).isEmpty();
  }

  @Test
  void count_anotherNodeJoins_isKnownWithTheNextRegistration() {
    counted(2);
    assertThat(presence.count()).isEqualTo(2);
    assertThat(timer.delayMillis).isEqualTo(1_000);
    counted(3);
    assertThat(presence.count()).isEqualTo(2);
    timer.runNext();
    assertThat(presence.count()).isEqualTo(3);
  }

  @Test
  void count_rejected_isReportedOnceUntilARegistrationSucceeds() {
    rejected("NOPERM User alice has no permissions to run the 'zadd' command");
    assertThat(presence.count()).isEqualTo(1);
    rejected("NOPERM again");
    timer.runNext();
    assertThat(observer.registrationErrors)
        .containsExactly("NOPERM User has no permissions to run the 'zadd' command");

    counted(2);
    timer.runNext();
    rejected("OOM");
    timer.runNext();
    assertThat(presence.count()).isEqualTo(2);
    assertThat(observer.registrationErrors).hasSize(2).endsWith("OOM");
  }

  @Test
  void count_disconnectedOrMoved_isNotReported() {
    failed(new RedisException("not connected"));
    assertThat(presence.count()).isEqualTo(1);
    rejected("MOVED 1 127.0.0.1:7000");
    timer.runNext();
    assertThat(observer.registrationErrors).isEmpty();
  }

  private void pass(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Redis has lost its data, and this node is the first one to register again. */
  @Test
  void count_fewerNodesAfterLossOfData_keepsTheHigherNumberUntilTheOthersHaveRegistered() {
    counted(3);
    assertThat(presence.count()).isEqualTo(3);
    counted(1);
    timer.runNext();
    assertThat(presence.count()).isEqualTo(3);
    pass(14_000);
    counted(2);
    timer.runNext();
    assertThat(presence.count()).isEqualTo(3);
    pass(14_000);
    counted(3);
    timer.runNext();
    assertThat(presence.count()).isEqualTo(3);
    counted(1);
    timer.runNext();
    assertThat(presence.count()).isEqualTo(3);
  }

  @Test
  void count_fewerNodesForTheTimeThatANodeCounts_isTheHighestOfThem() {
    counted(5);
    assertThat(presence.count()).isEqualTo(5);
    counted(3);
    timer.runNext();
    pass(15_000);
    counted(2);
    timer.runNext();
    assertThat(presence.count()).isEqualTo(3);
  }

  @Test
  void available_registersAtOnce() {
    failed(new RedisException("not connected"));
    assertThat(presence.count()).isEqualTo(1);
    counted(2);
    presence.available();
    assertThat(presence.count()).isEqualTo(2);
    counted(3);
    timer.runNext();
    assertThat(presence.count()).isEqualTo(3);
  }

  /** The lower numbers before an outage say nothing about the nodes after it. */
  @Test
  void available_afterALongOutage_keepsTheHigherNumber() {
    counted(3);
    assertThat(presence.count()).isEqualTo(3);
    counted(2);
    timer.runNext();
    pass(60_000);
    counted(1);
    presence.available();
    assertThat(presence.count()).isEqualTo(3);
  }

  @Test
  void count_notUsed_registersNothing() {
    presence.available();
    assertThat(timer.next).isNull();
  }

  @Test
  void register_throws_isTriedAgain() {
    replies.add(
        () -> {
          throw new IllegalStateException("closed");
        });
    assertThat(presence.count()).isEqualTo(1);
    counted(2);
    timer.runNext();
    assertThat(presence.count()).isEqualTo(2);
  }
}
