package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testing.Waiting;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ServerHealthTest {
  private static final long SHORT_DEADLINE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final ConcurrentLinkedQueue<RedisOutage> outages = new ConcurrentLinkedQueue<>();
  private final CpuLag lag = new CpuLag(timer);
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

  /** The two ways to find that a server doesn't respond in time. */
  static Stream<BiConsumer<ServerHealth, Long>> silences() {
    return Stream.of(
        (health, since) -> health.requestTimedOut(since, true),
        (health, since) -> {
          for (int i = 0; i < 3; i++) {
            // Calls that were sent one after another.
            long lateNanos = 2 * SHORT_DEADLINE_NANOS;
            health.answered(since + i * lateNanos, lateNanos);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("silences")
  void silence_processInTime_isATimeout(BiConsumer<ServerHealth, Long> silence) {
    ServerHealth health = startWithShortDeadline(new CpuLag(timer, () -> 0));
    silence.accept(health, awaitSilence());
    assertThat(outages.element().reason()).isEqualTo(UnavailableReason.TIMEOUT);
  }

  @ParameterizedTest
  @MethodSource("silences")
  void silence_processWithoutCpuTime_isStarvation(BiConsumer<ServerHealth, Long> silence) {
    ServerHealth health = startWithShortDeadline(lag);
    CountDownLatch over = new CountDownLatch(1);
    var unused = timer.submit(() -> over.await(1, TimeUnit.MINUTES));
    long since = awaitSilence();
    Waiting.await().until(() -> lag.explainsSilenceSince(since));
    silence.accept(health, since);
    over.countDown();
    assertThat(outages.element())
        .hasToString(
            "Redis at redis:6379 is considered unavailable (CPU_STARVED: no response was processed"
                + " in time, because this process lacked CPU time or was paused; the server may be"
                + " healthy)");
  }

  private ServerHealth startWithShortDeadline(CpuLag measured) {
    ServerHealth health =
        new ServerHealth(
            new Probes(probe -> replied()), timer, new Outages(), SHORT_DEADLINE_NANOS, measured);
    health.start();
    Waiting.await().until(health::isAvailable);
    return health;
  }

  /** Returns a time that is more than ten deadlines ago. */
  private static long awaitSilence() {
    long since = System.nanoTime();
    Waiting.await().until(() -> System.nanoTime() - since > 20 * SHORT_DEADLINE_NANOS);
    return since;
  }

  /** Starts the checks; probe 1 makes the server available, and later ones find it idle. */
  private ServerHealth start(IntFunction<CompletionStage<Long>> result) {
    ServerHealth health =
        new ServerHealth(
            new Probes(result), timer, new Outages(), TimeUnit.MINUTES.toNanos(1), lag);
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
