package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documented permissions are sufficient for everything a limiter does. */
@Tag("full")
class RightsIT {
  private static final Path PAGE = Path.of("..", "docs", "redis.md");

  private static final StoreOptions SHARE =
      new StoreOptions(FailurePolicy.LOCAL_SHARE, Consistency.EXACT);

  private static String documentedPermissions() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .map(String::strip)
        .filter(text -> text.startsWith("ACL SETUSER"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void nodes_withTheDocumentedPermissions_areCounted() throws IOException {
    Counts counts = new Counts();
    try (RedisProcess redis = RedisProcess.start()) {
      acl(redis, documentedPermissions());
      try (RedisStore store = connect(redis, counts)) {
        take(store);
        await("registration")
            .until(() -> registeredNodes(redis) > 0 || !counts.registrationErrors.isEmpty());
        assertThat(counts.registrationErrors).isEmpty();
        assertThat(registeredNodes(redis)).isEqualTo(1);
      }
    }
  }

  @Test
  void nodes_registrationDenied_isReported() {
    Counts counts = new Counts();
    try (RedisProcess redis = RedisProcess.start()) {
      acl(redis, "ACL SETUSER penstock on >password ~* +@all -zadd");
      try (RedisStore store = connect(redis, counts)) {
        take(store);
        await("report").until(() -> !counts.registrationErrors.isEmpty());
        assertThat(counts.registrationErrors.get(0)).doesNotContain("penstock", "password");
        await("available").until(store::isAvailable);
        assertThat(registeredNodes(redis)).isZero();
      }
    }
  }

  private static RedisStore connect(RedisProcess redis, RedisObserver observer) {
    return RedisStore.builder()
        .deadline(Duration.ofSeconds(5))
        .startTimeout(Duration.ofSeconds(10))
        .observer(observer)
        .connect(uri(redis));
  }

  private static void take(RedisStore store) {
    RateLimiter limiter = RateLimiter.on(store, "l", Limit.perHour(10).burst(5), SHARE);
    assertThat(limiter.take("k").degraded()).isFalse();
  }

  private static long registeredNodes(RedisProcess redis) {
    return redis.with(commands -> commands.zcard("penstock:nodes"));
  }

  @Test
  void limiters_withTheDocumentedPermissions_doEverything() throws IOException {
    try (RedisProcess redis = RedisProcess.start()) {
      acl(redis, documentedPermissions());
      RedisURI uri = uri(redis);
      try (RedisStore store =
          RedisStore.builder()
              .deadline(Duration.ofSeconds(5))
              .startTimeout(Duration.ofSeconds(10))
              .connect(uri)) {
        for (Limit limit :
            List.of(
                Limit.perHour(10).burst(5),
                Limit.fixedWindow(5, Duration.ofHours(1)),
                Limit.slidingWindow(5, Duration.ofHours(1)),
                Limit.slidingLog(5, Duration.ofHours(1)))) {
          RateLimiter limiter = RateLimiter.on(store, "l" + limit.exceeded(), limit);
          for (int i = 0; i < 7; i++) {
            Decision decision = limiter.take("k");
            assertThat(decision.degraded()).as("%s", limit).isFalse();
            assertThat(decision.allowed()).as("%s", limit).isEqualTo(i < 5);
          }
          limiter.reset("k");
          assertThat(limiter.tryAcquire("k")).isTrue();
        }
      }
    }
  }

  private static void acl(RedisProcess redis, String line) {
    redis.with(
        commands -> {
          CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
          List.of(line.split(" ", -1)).stream().skip(1).forEach(args::add);
          return commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
        });
  }

  private static RedisURI uri(RedisProcess redis) {
    return RedisURI.builder(RedisURI.create(redis.url()))
        .withAuthentication("penstock", "password")
        .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-@scripting", "-eval -evalsha", "-evalsha"})
  void limiters_scriptingDenied_isUnavailableUntilAllowed(String denied) throws Exception {
    String user = "ACL SETUSER penstock on >password ~* +@all ";
    List<String> changes = new CopyOnWriteArrayList<>();
    RedisObserver observer =
        new RedisObserver() {
          @Override
          public void available(boolean available) {
            changes.add(available ? "available" : "unavailable");
          }

          @Override
          public void unavailable(RedisOutage outage) {
            changes.add(outage.toString());
          }
        };
    try (RedisProcess redis = RedisProcess.start()) {
      acl(redis, user);
      try (RedisStore store =
          RedisStore.builder()
              .deadline(Duration.ofSeconds(5))
              .startTimeout(Duration.ofSeconds(10))
              .observer(observer)
              .connect(uri(redis))) {
        RateLimiter limiter = RateLimiter.on(store, "l", Limit.perHour(1000).burst(1000));
        await("available: " + store.unavailableReason()).until(store::isAvailable);
        assertThat(limiter.take("k").degraded()).isFalse();
        changes.clear();

        acl(redis, user + denied);
        // Longer than many probes would take to find it available and lose it again.
        for (long end = System.nanoTime() + 2_000_000_000L; System.nanoTime() < end; ) {
          assertThat(limiter.take("k").degraded()).isTrue();
        }

        assertThat(store.isAvailable()).isFalse();
        assertThat(store.unavailableReason())
            .startsWith("Redis at 127.0.0.1:" + redis.port() + " is unavailable (NOPERM: ")
            .doesNotContain("penstock", "password");
        assertThat(changes).hasSize(2).startsWith("unavailable");
        assertThat(changes.get(1)).isEqualTo(store.unavailableReason());

        acl(redis, user);
        await("available again").until(store::isAvailable);
        assertThat(limiter.take("k").degraded()).isFalse();
        assertThat(store.unavailableReason()).isEmpty();
      }
    }
  }
}
