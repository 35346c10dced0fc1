package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.GlobalLimiter;
import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A request for a known key allocates nothing, even before it is compiled. */
class AllocationTest {
  private static final int CALLS = 20_000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final RateLimiter plenty =
      RateLimiter.inProcess("plenty", Limit.perSecond(1_000_000).burst(1_000_000_000));
  private final RateLimiter none = RateLimiter.inProcess("none", Limit.perDay(1).burst(1));

  @Test
  void tryAcquire_allowed_allocatesNothing() {
    assertThat(bytesPerCall(() -> plenty.tryAcquire("key"))).isLessThan(0.1);
  }

  @Test
  void tryAcquire_fractionalCost_allocatesNothing() {
    assertThat(bytesPerCall(() -> plenty.tryAcquire("key", 0.25))).isLessThan(0.1);
  }

  @Test
  void tryAcquire_denied_allocatesNothing() {
    assertThat(bytesPerCall(() -> none.tryAcquire("key"))).isLessThan(0.1);
  }

  @Test
  void tryAcquire_severalLimits_allocatesNothing() {
    JointRequest claims =
        RateLimiter.all(plenty.at("key"), plenty.at("other", 2.5), none.global().at());
    assertThat(bytesPerCall(claims::tryAcquire)).isLessThan(0.1);
    JointRequest allowed = RateLimiter.all(plenty.at("key"), plenty.global().at());
    assertThat(bytesPerCall(allowed::tryAcquire)).isLessThan(0.1);
  }

  @Test
  void tryAcquire_globalLimiter_allocatesNothing() {
    GlobalLimiter global = plenty.global();
    assertThat(bytesPerCall(global::tryAcquire)).isLessThan(0.1);
    assertThat(bytesPerCall(() -> global.tryAcquire(2))).isLessThan(0.1);
  }

  @Test
  void tryAcquire_withAnObserver_allocatesNothing() {
    LongAdder denials = new LongAdder();
    none.observedBy(
        (limiter, allowed) -> {
          if (!allowed) {
            denials.increment();
          }
        });
    assertThat(bytesPerCall(() -> none.tryAcquire("key"))).isLessThan(0.1);
    assertThat(denials.sum()).isGreaterThan(CALLS);
  }

  @Test
  void take_allocatesOneDecision() {
    assertThat(bytesPerCall(() -> plenty.take("key").allowed())).isBetween(1.0, 96.0);
  }

  private double bytesPerCall(BooleanSupplier call) {
    int yes = run(call);
    long before = threads.getCurrentThreadAllocatedBytes();
    yes += run(call);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(yes).isGreaterThanOrEqualTo(0);
    return (double) bytes / CALLS;
  }

  private static int run(BooleanSupplier call) {
    int yes = 0;
    for (int i = 0; i < CALLS; i++) {
      yes += call.getAsBoolean() ? 1 : 0;
    }
    return yes;
  }
}
