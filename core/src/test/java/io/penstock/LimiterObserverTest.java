package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LimiterObserverTest {
  private final Store store = InProcessStore.builder().clock(new ManualClock()).build();
  private final List<String> reports = new ArrayList<>();

  private RateLimiter limiter(String name, double burst) {
    return RateLimiter.on(store, name, Limit.perDay(1).burst(burst))
        .observedBy(
            (limiter, allowed) -> reports.add(limiter + (allowed ? " allowed" : " denied")));
  }

  @Test
  void observer_everyCallThatTakes_isReported() throws Exception {
    RateLimiter limiter = limiter("user", 4);
    limiter.tryAcquire("k");
    limiter.take("k", 2);
    limiter.takeAsync("k").toCompletableFuture().join();
    limiter.acquire("k", Duration.ZERO);
    limiter.acquireAsync("k", Duration.ZERO).join();
    assertThat(reports)
        .containsExactly(
            "user allowed", "user allowed", "user allowed", "user denied", "user denied");
  }

  @Test
  void observer_callsThatDecideNothing_areNotReported() {
    RateLimiter limiter = limiter("user", 1);
    limiter.peek("k");
    limiter.peek("k", 5);
    RateLimiter.all(limiter.at("k")).peek();
    limiter.charge("k", 1);
    limiter.refund("k", 1);
    limiter.reset("k");
    assertThat(reports).isEmpty();
  }

  @Test
  void observer_globalLimiter_isReported() {
    GlobalLimiter global = limiter("all", 1).global();
    global.tryAcquire();
    global.take();
    assertThat(reports).containsExactly("all allowed", "all denied");
  }

  @Test
  void observer_jointRequest_isReportedForEachLimit() {
    RateLimiter user = limiter("user", 9);
    RateLimiter plan = RateLimiter.on(store, "plan", Limit.perDay(1).burst(9));
    GlobalLimiter global = limiter("all", 1).global();
    JointRequest request = RateLimiter.all(user.at("k"), plan.at("k"), global.at());
    assertThat(request.tryAcquire()).isTrue();
    assertThat(request.take().allowed()).isFalse();
    assertThat(request.takeAsync().toCompletableFuture().join().allowed()).isFalse();
    assertThat(reports)
        .containsExactly(
            "user allowed",
            "all allowed",
            "user allowed",
            "all denied",
            "user allowed",
            "all denied");
    assertThat(user.peek("k").remaining()).isEqualTo(8);
  }

  @Test
  void replaceLimit_withAnObserver_keepsIt() {
    RateLimiter limiter = limiter("user", 1);
    limiter.replaceLimit(Limit.perDay(1).burst(2));
    limiter.tryAcquire("k", 2);
    assertThat(reports).containsExactly("user allowed");
  }

  @Test
  void observedBy_again_replacesTheObserver() {
    RateLimiter limiter = limiter("user", 1);
    limiter.observedBy((name, allowed) -> reports.add("second")).tryAcquire("k");
    assertThat(reports).containsExactly("second");
  }

  @Test
  void observer_throws_reachesTheCaller() {
    RateLimiter limiter =
        RateLimiter.on(store, "user", Limit.perDay(1).burst(2))
            .observedBy(
                (name, allowed) -> {
                  throw new IllegalStateException("counter");
                });
    assertThatIllegalStateException().isThrownBy(() -> limiter.tryAcquire("k"));
    assertThat(limiter.peek("k").remaining()).as("taken before the report").isEqualTo(1);
  }
}
