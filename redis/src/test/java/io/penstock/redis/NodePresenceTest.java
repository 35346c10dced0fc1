package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodePresenceTest {
  private final Counts observer = new Counts();
  private final Deque<CompletableFuture<Long>> replies = new ArrayDeque<>();
  private final Timer timer = new Timer();
  private final NodePresence presence =
      new NodePresence(0, "p:", (key, node, ttl) -> replies.remove(), observer, timer);

  /** Keeps the last task instead of running it. */
  private static final class Timer extends ScheduledThreadPoolExecutor {
    private Runnable next;
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
  }

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private void counted(long nodes) {
    replies.add(CompletableFuture.completedFuture(nodes));
  }

  private void failed(Exception failure) {
    replies.add(CompletableFuture.failedFuture(failure));
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
    assertThat(timer.delayMillis).isEqualTo(5_000);
    counted(3);
    assertThat(presence.count()).isEqualTo(2);
    timer.next.run();
    assertThat(presence.count()).isEqualTo(3);
  }

  @Test
  void count_rejected_isReportedOnceUntilARegistrationSucceeds() {
    rejected("NOPERM User alice has no permissions to run the 'zadd' command");
    assertThat(presence.count()).isEqualTo(1);
    rejected("NOPERM again");
    timer.next.run();
    assertThat(observer.registrationErrors)
        .containsExactly("NOPERM User has no permissions to run the 'zadd' command");

    counted(2);
    timer.next.run();
    rejected("OOM");
    timer.next.run();
    assertThat(presence.count()).isEqualTo(2);
    assertThat(observer.registrationErrors).hasSize(2).endsWith("OOM");
  }

  @Test
  void count_disconnectedOrMoved_isNotReported() {
    failed(new RedisException("not connected"));
    assertThat(presence.count()).isEqualTo(1);
    rejected("MOVED 1 127.0.0.1:7000");
    timer.next.run();
    assertThat(observer.registrationErrors).isEmpty();
  }
}
