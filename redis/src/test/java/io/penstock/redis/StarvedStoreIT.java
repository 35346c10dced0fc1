package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Reason;
import io.penstock.redis.RedisObserver.Degradation;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A store whose own timer doesn't run in time, as in a process that lacks CPU time. */
class StarvedStoreIT {
  /** Blocks the timer of the store when it gives up a request, until it is released. */
  private static final class Blocking implements RedisObserver {
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicInteger starved = new AtomicInteger();
    private volatile boolean available;

    @Override
    public void degraded(String name, Degradation why) {
      if (why == Degradation.STARVED) {
        starved.incrementAndGet();
      }
      if (Thread.currentThread().getName().equals("penstock-redis")) {
        blocked.countDown();
        try {
          assertThat(released.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    @Override
    public void available(boolean now) {
      available = now;
    }
  }

  @Test
  void silence_whileTheProcessLacksCpuTime_isNotBlamedOnRedis() throws Exception {
    Blocking observer = new Blocking();
    try (RedisProcess redis = RedisProcess.start();
        FlakyProxy proxy = new FlakyProxy(redis.port());
        RedisStore store =
            RedisStore.builder()
                .deadline(Duration.ofMillis(100))
                .observer(observer)
                .connect(RedisURI.create(proxy.url()))) {
      RateLimiter limiter = RateLimiter.on(store, "x", Limit.perSecond(1_000).burst(1_000));
      await("available").until(() -> !limiter.take("k").degraded());
      proxy.keepReplies(true);
      var unused = limiter.takeAsync("k");
      assertThat(observer.blocked.await(1, TimeUnit.MINUTES)).isTrue();

      await("unavailable")
          .until(
              () -> {
                var unusedDecision = limiter.take("k");
                return !observer.available;
              });
      assertThat(store.outage()).map(RedisOutage::reason).contains(UnavailableReason.CPU_STARVED);
      int before = observer.starved.get();
      Decision decision = limiter.take("k");
      assertThat(decision.degradation()).contains(Reason.CPU_STARVED);
      assertThat(observer.starved).hasValue(before + 1);

      proxy.keepReplies(false);
      observer.released.countDown();
      await("available again").until(() -> !limiter.take("k").degraded());
    }
  }
}
