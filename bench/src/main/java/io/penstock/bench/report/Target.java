package io.penstock.bench.report;

import java.util.List;
import java.util.Optional;

/**
 * The target of a ratio.
 *
 * @param bound the minimum or maximum
 */
public record Target(String name, double bound, boolean isMinimum) {
  private static final List<Target> ALL =
      List.of(
          atLeast("local.keyed.bucket4j-caffeine", 8),
          atLeast("local.keyed.bucket4j-map", 5),
          atLeast("local.hot.bucket4j", 3),
          atLeast("local.hot-denied.bucket4j", 5),
          atMost("local.alloc", 0),
          atMost("local.memory", 64),
          atMost("policy.10-rules.vs.1000-rules", 1.5),
          atMost("policy.100-rules.vs.100000-rules", 1.5),
          atMost("policy.alloc", 600),
          atLeast("redis.hot.bucket4j", 100),
          atLeast("redis.hot.seed-lua", 4),
          atLeast("redis.hot.local-buckets", 0.97),
          atLeast("redis.user.local-buckets", 0.97),
          atLeast("redis.user.seed-lua", 1.3),
          atMost("redis.hot.calls", 0.2),
          atMost("redis.cluster.server-time", 1.3),
          atLeast("redis.network.worst", 0.95),
          atMost("redis.network.latency", 1.1),
          atLeast("redis.network.hot.1ms.256", 1.5),
          atLeast("redis.leased.seed-lua", 50),
          atMost("redis.leased.calls", 0.01),
          atLeast("redis.auto.seed-lua", 20),
          atLeast("http.decision.bare", 0.85),
          atLeast("http.proxy.nginx", 0.8),
          atLeast("http.proxy-denied.nginx", 0.7),
          atLeast("http.audit.one", 0.95),
          atLeast("spring.mvc.overhead", 0.95));

  private static Target atLeast(String name, double bound) {
    return new Target(name, bound, true);
  }

  private static Target atMost(String name, double bound) {
    return new Target(name, bound, false);
  }

  /** Returns the target of a ratio; empty if it has none. */
  public static Optional<Target> of(String name) {
    return ALL.stream().filter(target -> target.name.equals(name)).findFirst();
  }

  public boolean isMetBy(double value) {
    return isMinimum ? value >= bound : value <= bound;
  }

  @Override
  public String toString() {
    String number = bound == Math.rint(bound) ? "" + (long) bound : "" + bound;
    return (isMinimum ? "at least " : "at most ") + number;
  }
}
