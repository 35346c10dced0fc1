package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.TokenBucket;
import io.penstock.algorithm.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * P1: many callers on several connections together never get more than one bucket has, by the
 * store's clock. The test's copy of the script records the time of each grant.
 */
@Tag("full")
class SharedLimitIT {
  private static final int CALLERS = 64;
  private static final int STORES = 3;

  private final RedisProcess redis = RedisProcess.start();
  private final List<RedisStore> stores = new ArrayList<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  private record Grant(long micros, long tokens) {}

  @AfterEach
  void stop() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    stores.forEach(RedisStore::close);
    redis.close();
  }

  /** The real script, which also records when it granted one token to how many callers. */
  private static Script noting() {
    String text = Script.decideText();
    String taken = "function tokenBucket.take(claim, times)\n";
    String takenFromSeveral = "\n    if granted > 0 and cost > 0 then\n";
    String takenFromOne = "\n  if granted > 0 and cost > 0 then\n";
    if (!text.contains(taken) || !text.contains(takenFromSeveral) || !text.contains(takenFromOne)) {
      throw new IllegalStateException("the script has changed");
    }
    String several = takenFromSeveral + noting("names[numbers[at + 3]]", "granted");
    String one = takenFromOne + noting("KEYS[1]", "granted");
    return Script.of(
        text.replace(taken, taken + noting("claim.key", "times"))
            .replace(takenFromSeveral, several)
            .replace(takenFromOne, one));
  }

  private static String noting(String key, String times) {
    return "redis.call('RPUSH', 'test:' .. %s, string.format('%%.0f %%d', now, %s))\n"
        .formatted(key, times);
  }

  private List<Grant> run(TokenBucket limit, Duration length) {
    for (int i = 0; i < STORES; i++) {
      stores.add(
          RedisStore.builder()
              .script(noting())
              .denialMemory(i > 0)
              .deadline(Duration.ofSeconds(10))
              .startTimeout(Duration.ofSeconds(10))
              .connect(RedisURI.create(redis.url())));
    }
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      RateLimiter limiter = RateLimiter.on(stores.get(i % STORES), "shared", limit);
      Thread caller = new Thread(() -> call(limiter));
      callers.add(caller);
      caller.start();
    }
    String grants = "test:penstock:1t:shared:{k}";
    await("the first grant").until(() -> !grants(grants).isEmpty());
    long end = grants(grants).get(0).micros + length.toNanos() / 1_000;
    await("the end").until(() -> storeMicros() > end);
    stopped = true;
    for (Thread caller : callers) {
      try {
        caller.join(15_000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      assertThat(caller.isAlive()).isFalse();
    }
    assertThat(failures).isEmpty();
    return grants(grants);
  }

  private void call(RateLimiter limiter) {
    try {
      while (!stopped) {
        assertThat(limiter.take("k").degraded()).isFalse();
        LockSupport.parkNanos(500_000);
      }
    } catch (RuntimeException | Error failure) {
      failures.add(failure);
    }
  }

  private long storeMicros() {
    return redis.with(
        commands -> {
          List<String> time = commands.time();
          return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
        });
  }

  private List<Grant> grants(String key) {
    return redis.with(
        commands ->
            commands.lrange(key, 0, -1).stream()
                .map(line -> line.split(" ", 2))
                .map(parts -> new Grant(Long.parseLong(parts[0]), Long.parseLong(parts[1])))
                .sorted(Comparator.comparingLong(Grant::micros))
                .toList());
  }

  private static void check(TokenBucket limit, List<Grant> grants) {
    Trace trace = new Trace(limit.rate(), limit.burstThousandths());
    for (Grant grant : grants) {
      trace.grant(grant.micros * 1_000, grant.tokens * 1_000);
    }
    trace.check();
  }

  @Test
  void take_burst10AtTenASecond_grantsFortyInThreeSeconds() {
    TokenBucket limit = Limit.perSecond(10).burst(10);
    List<Grant> grants = run(limit, Duration.ofSeconds(3));
    long end = grants.get(0).micros + 3_000_000;
    long granted =
        grants.stream().filter(grant -> grant.micros <= end).mapToLong(Grant::tokens).sum();
    System.out.printf("granted in three seconds: %d%n", granted);
    check(limit, grants);
    assertThat(granted).isLessThanOrEqualTo(40);
    // The last token becomes available at the very end. If the machine stalls for longer than a
    // token
    // takes at that moment, it stays in the bucket.
    assertThat(granted).isGreaterThanOrEqualTo(38);
  }

  @Test
  void take_thousandASecond_staysWithinEveryInterval() {
    TokenBucket limit = Limit.perSecond(1_000).burst(5);
    List<Grant> grants = run(limit, Duration.ofSeconds(1));
    check(limit, grants);
    assertThat(grants.size()).isGreaterThan(20);
  }

  @Test
  void take_threeASecond_staysWithinEveryInterval() {
    TokenBucket limit = Limit.perSecond(3).burst(1);
    List<Grant> grants = run(limit, Duration.ofMillis(1_500));
    check(limit, grants);
    assertThat(grants.size()).isGreaterThanOrEqualTo(4);
  }
}
