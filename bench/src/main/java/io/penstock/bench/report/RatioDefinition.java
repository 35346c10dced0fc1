package io.penstock.bench.report;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a ratio.
 *
 * @param meaning the peer and the conditions if {@code compares}, otherwise the figure
 * @param compares whether the ratio is the throughput of Penstock divided by that of a peer
 * @param bound null if the ratio has no target
 */
record RatioDefinition(String name, String meaning, boolean compares, @Nullable Target bound) {
  /** All ratios with a meaning of their own, in the order of the page. */
  static final List<RatioDefinition> ALL =
      List.of(
          peer("local.keyed.bucket4j-caffeine", "Bucket4j in Caffeine, 1M keys, 2 threads, G1")
              .atLeast(8),
          peer("local.keyed.bucket4j-map", "Bucket4j in a map, 1M keys, 2 threads, G1").atLeast(5),
          peer("local.hot.bucket4j", "Bucket4j, one key, 2 threads").atLeast(3),
          peer("local.hot.best-peer", "the fastest peer, one key, 2 threads").atLeast(1.3),
          figure("local.hot-denied.clock", "time of a denial ÷ `System.nanoTime()`, 2 threads")
              .atMost(1.6),
          figure("local.alloc", "bytes per `tryAcquire`").atMost(0),
          figure("local.memory", "bytes per key, 1M keys").atMost(64),
          figure("policy.10-rules.vs.1000-rules", "time with 1,000 rules ÷ with 10").atMost(1.5),
          figure("policy.alloc", "bytes per evaluation").atMost(600),
          peer("redis.hot.seed-lua", "one EVALSHA per request, one key, 64 callers").atLeast(4),
          peer("redis.user.seed-lua", "one EVALSHA per request, a key per caller, 64 callers")
              .atLeast(1.3),
          peer("redis.network.worst", "one EVALSHA per request, at the worst round trip and load")
              .atLeast(0.95),
          figure("redis.network.latency", "p50 or p99 ÷ that of one EVALSHA, in the worst case")
              .atMost(1.1),
          peer("redis.hot.bucket4j", "Bucket4j on Redis, one key, 64 callers").atLeast(100),
          peer("redis.hot.bucket4j-batching", "Bucket4j with batching, one key, 64 callers")
              .atLeast(2),
          figure("redis.hot.calls", "Redis calls per request, one key, 64 callers").atMost(0.2),
          figure("redis.cluster.server-time", "server time, three primaries ÷ one server")
              .atMost(1.3),
          peer("redis.leased.seed-lua", "one EVALSHA per request, with leases, 64 callers")
              .atLeast(50),
          figure("redis.leased.calls", "Redis calls per request, with leases").atMost(0.01),
          peer("http.decision.bare", "a bare Vert.x server, forward-auth").atLeast(0.85),
          peer("http.proxy.nginx", "nginx `limit_req` + `proxy_pass`").atLeast(0.8),
          peer("http.proxy-denied.nginx", "nginx `limit_req`, denied").atLeast(0.7),
          peer("spring.mvc.overhead", "the same application without Penstock").atLeast(0.9),
          peer("grpc.decision.bare", "a bare vertx-grpc server, ShouldRateLimit").atLeast(0.8),
          figure("grpc.soak.lost", "calls lost in ten minutes of gRPC").atMost(0),
          figure("logs.replay.seconds", "seconds for a replay of 10 million lines").atMost(60),
          figure("logs.replay.gibibytes", "peak memory of that replay, GiB").atMost(1),
          figure("logs.advise.seconds", "seconds for advice from 10 million lines").atMost(60),
          figure("logs.advise.gibibytes", "peak memory of that advice, GiB").atMost(1),
          // The targets below are not part of the design.
          figure("policy.100-rules.vs.100000-rules", "time with 100,000 rules ÷ with 100")
              .atMost(1.5),
          peer("redis.network.hot.1ms.256", "one EVALSHA per request, one key, 1 ms, 256 callers")
              .atLeast(1.5),
          peer("redis.hot.local-buckets", "Penstock without local buckets, one key").atLeast(0.97),
          peer("redis.user.local-buckets", "Penstock without local buckets, a key per caller")
              .atLeast(0.97),
          peer("redis.auto.seed-lua", "one EVALSHA per request, automatic leases, 64 callers")
              .atLeast(20),
          peer("http.audit.one", "Penstock without a violation log, one caller").atLeast(0.95),
          peer("http.console.allowed", "Penstock without figures in memory, a viewer, 1,000 rules")
              .atLeast(0.97),
          peer("http.console.one", "the same, all denied, one key").atLeast(0.97),
          peer("http.console.many", "the same, all denied, a million keys").atLeast(0.97),
          peer("http.console.everywhere", "the same, all denied, by 500 rules").atLeast(0.97),
          // Without a target.
          peer("logs.replay.goaccess", "GoAccess, beside a replay of the same log"),
          peer("logs.advise.goaccess", "GoAccess, beside advice from the same log"),
          peer("local.hot.1-thread.best-peer", "the fastest peer, one key, 1 thread"),
          peer("local.hot-denied.best-peer", "the fastest peer, one key, denied, 2 threads"),
          peer("local.keyed.best-peer", "the fastest peer, 1M keys, 2 threads, G1"),
          peer("local.keyed.1-thread.best-peer", "the fastest peer, 1M keys, 1 thread, G1"),
          peer(
              "local.keyed.parallel.bucket4j-caffeine",
              "Bucket4j in Caffeine, 1M keys, 2 threads, ParallelGC"),
          peer(
              "local.keyed.parallel.bucket4j-map",
              "Bucket4j in a map, 1M keys, 2 threads, ParallelGC"),
          peer("redis.leased.bucket4j-delaying", "Bucket4j with delays beside leases, one key"),
          peer("redis.leased.bucket4j-predicting", "Bucket4j with predictions beside leases"),
          peer("redis.hot.bucket4j-async", "Bucket4j, asynchronous with batching, one key"),
          peer("redis.hot.spring-cloud-gateway", "the script of Spring Cloud Gateway, one key"),
          peer("redis.user.spring-cloud-gateway", "the script of Spring Cloud Gateway, own keys"),
          peer("http.check.bare", "a bare Vert.x server, JSON"),
          peer("http.decision.nginx", "nginx `limit_req`, forward-auth"),
          figure(
              "grpc.decision.p99.bare", "p99 at half the peak ÷ that of a bare vertx-grpc server"),
          peer("http.proxy.haproxy", "HAProxy with a stick table"),
          peer("http.proxy-denied.haproxy", "HAProxy with a stick table, denied"),
          peer("http.proxy.vertx-http-proxy", "vertx-http-proxy, which does not limit"));

  private static RatioDefinition peer(String name, String meaning) {
    return new RatioDefinition(name, meaning, true, null);
  }

  private static RatioDefinition figure(String name, String meaning) {
    return new RatioDefinition(name, meaning, false, null);
  }

  private RatioDefinition atLeast(double min) {
    return new RatioDefinition(name, meaning, compares, new Target(min, true));
  }

  private RatioDefinition atMost(double max) {
    return new RatioDefinition(name, meaning, compares, new Target(max, false));
  }

  Optional<Target> target() {
    return Optional.ofNullable(bound);
  }
}
