package io.penstock.servlet;

import static jakarta.servlet.DispatcherType.ASYNC;
import static jakarta.servlet.DispatcherType.REQUEST;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.policy.Phase;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.redis.RedisProcess;
import io.penstock.redis.RedisStore;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the filter with a real Redis and a single container thread, which a waiting request would
 * block.
 */
class RateLimitFilterIT {
  private static final EnumSet<DispatcherType> BOTH = EnumSet.of(REQUEST, ASYNC);
  private static final String POLICY =
      """
      rules:
        - {name: open, limit_keys: [path], match: {path: /open/*}, rate: 1/h, burst: 2, on_store_failure: open}
        - {name: closed, limit_keys: [path], match: {path: /closed/*}, rate: 1/h, burst: 2, on_store_failure: closed}
        - {name: user, limit_keys: [user_id], rate: 1/h, burst: 2}
      """;

  @TempDir private Path folder;
  private final ConcurrentLinkedQueue<DispatcherType> seen = new ConcurrentLinkedQueue<>();
  private RedisProcess redis;
  private RedisStore store;
  private Container container;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    store =
        RedisStore.builder()
            .deadline(Duration.ofSeconds(10))
            .startTimeout(Duration.ofSeconds(10))
            .connect(RedisURI.create(redis.url()));
    PolicyEngine engine =
        new PolicyEngine(store, PolicyLoader.parse(POLICY, "policy.yaml").policy());
    Gate gate = new Gate(engine, new VerdictResponses(HeaderFormat.ALL, Jitter.NONE));
    Filter between =
        (request, response, chain) -> {
          seen.add(request.getDispatcherType());
          chain.doFilter(request, response);
        };
    Filter users =
        (request, response, chain) -> {
          request.setAttribute("user_id", request.getParameter("user"));
          chain.doFilter(request, response);
        };
    container =
        new Container(folder, 1)
            .with(new RateLimitFilter(gate, Phase.EARLY, List.of()), BOTH)
            .with(between, BOTH)
            .with(users, BOTH)
            .with(new RateLimitFilter(gate, Phase.LATE, List.of()), BOTH)
            .start();
  }

  @AfterEach
  void stop() {
    container.close();
    store.close();
    redis.close();
  }

  private int status(String path) {
    return container.get(path).statusCode();
  }

  @Test
  void get_afterTheBurst_isDenied() {
    assertThat(status("/open/a?user=1")).isEqualTo(200);
    HttpResponse<String> second = container.get("/open/a?user=1");
    assertThat(second.statusCode()).isEqualTo(200);
    assertThat(second.headers().firstValue("RateLimit").orElseThrow())
        .matches("\"open\";r=0;t=3[56]\\d\\d, \"user\";r=0;t=3[56]\\d\\d");
    assertThat(status("/open/a?user=1")).isEqualTo(429);
    assertThat(status("/open/a?user=2")).isEqualTo(429);
    assertThat(status("/open/b?user=1")).isEqualTo(429);
    assertThat(status("/open/b?user=2")).isEqualTo(200);
  }

  @Test
  void get_held_isAnInitialRequestForLaterFilters() {
    status("/open/a");

    // Without a user, the late filter has nothing to wait for.
    assertThat(seen).startsWith(REQUEST);
  }

  @Test
  void get_redisKilled_isDecidedByTheFailurePolicy() {
    assertThat(status("/open/a")).isEqualTo(200);
    redis.kill();

    for (int i = 0; i < 20; i++) {
      assertThat(status("/open/a")).isEqualTo(200);
    }
    HttpResponse<String> closed = container.get("/closed/a");
    assertThat(closed.statusCode()).isEqualTo(503);
    assertThat(closed.body()).contains("temporary-reduced-capacity");
  }

  @Test
  void get_redisFrozen_blocksNoThread() {
    status("/open/a");
    redis.freeze();

    // One thread serves all requests, so none may block it while its decision is pending.
    List<CompletableFuture<HttpResponse<String>>> answers =
        IntStream.range(0, 50).mapToObj(i -> container.getLater("/open/" + i)).toList();

    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      assertThat(answer.orTimeout(10, TimeUnit.SECONDS).join().statusCode()).isEqualTo(200);
    }
  }
}
