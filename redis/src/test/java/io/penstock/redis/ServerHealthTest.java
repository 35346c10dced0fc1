package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testing.Waiting;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServerHealthTest {
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final ConcurrentLinkedQueue<RedisOutage> outages = new ConcurrentLinkedQueue<>();
  private final AtomicInteger probes = new AtomicInteger();
  private final AtomicInteger drops = new AtomicInteger();

  @AfterEach
  void shutDown() {
    timer.shutdownNow();
  }

  @Test
  void idle_oneProbeTimesOut_staysAvailable() {
    ServerHealth health = start(probe -> probe == 2 ? failed(new TimeoutException()) : replied());
    Waiting.await().untilAsserted(() -> assertThat(probes).hasValueGreaterThanOrEqualTo(4));
    assertThat(outages).isEmpty();
    assertThat(drops).hasValue(0);
    assertThat(health.isAvailable()).isTrue();
  }

  @Test
  void idle_twoProbesTimeOut_isUnavailable() {
    ServerHealth unused =
        start(probe -> probe == 2 || probe == 3 ? failed(new TimeoutException()) : replied());
    Waiting.await().untilAsserted(() -> assertThat(outages).hasSize(1));
    assertThat(drops).hasValueGreaterThanOrEqualTo(1);
  }

  @Test
  void idle_connectionBroken_isUnavailableAtOnce() {
    ServerHealth unused =
        start(
            probe ->
                probe == 2 ? failed(new IllegalStateException("connection reset")) : replied());
    Waiting.await().untilAsserted(() -> assertThat(outages).hasSize(1));
  }

  /** Starts the checks; probe 1 makes the server available, and later ones find it idle. */
  private ServerHealth start(IntFunction<CompletionStage<Long>> result) {
    ServerHealth health =
        new ServerHealth(new Probes(result), timer, new Outages(), TimeUnit.MINUTES.toNanos(1));
    health.start();
    return health;
  }

  private static CompletionStage<Long> replied() {
    return CompletableFuture.completedFuture(1L);
  }

  private static CompletionStage<Long> failed(Throwable cause) {
    return CompletableFuture.failedFuture(cause);
  }

  private final class Probes implements ServerHealth.ProbedConnection {
    private final IntFunction<CompletionStage<Long>> result;

    Probes(IntFunction<CompletionStage<Long>> result) {
      this.result = result;
    }

    @Override
    public CompletionStage<Long> probe() {
      return result.apply(probes.incrementAndGet());
    }

    @Override
    public RedisOutage outage(@Nullable Throwable failure) {
      return RedisOutage.of(UnavailableReason.of(failure), "redis:6379", failure);
    }

    @Override
    public void drop() {
      drops.incrementAndGet();
    }
  }

  private final class Outages implements ServerHealth.HealthListener {
    @Override
    public void available() {}

    @Override
    public void unavailable(RedisOutage outage) {
      outages.add(outage);
    }
  }
}
