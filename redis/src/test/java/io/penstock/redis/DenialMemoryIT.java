package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A denial is cached for as long as it is valid, and costs no calls to Redis. */
class DenialMemoryIT {
  private static final Pattern EVALS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

  private final RedisProcess redis = RedisProcess.start();
  private final ScriptTime time = new ScriptTime(redis);
  private final Counts counts = new Counts();
  private final RedisStore store =
      time.builder().observer(counts).connect(RedisURI.create(redis.url()));

  @AfterEach
  void stop() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
    redis.close();
  }

  private long evals() {
    Matcher matcher = EVALS.matcher(redis.command("INFO", "commandstats"));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  @Test
  void take_abuser_costsNoCalls() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perSecond(1).burst(1));
    limiter.take("k");
    limiter.take("k");
    long before = evals();
    for (int i = 0; i < 1_000; i++) {
      assertThat(limiter.tryAcquire("k")).isFalse();
    }
    assertThat(evals()).isEqualTo(before);
    assertThat(counts.cachedDenials.get()).isEqualTo(1_000);
  }

  @Test
  void take_atTheHintOfACachedDenial_isAllowed() {
    for (int rate : new int[] {1, 3, 7, 999}) {
      RateLimiter limiter = RateLimiter.on(store, "r" + rate, Limit.perSecond(rate).burst(3));
      limiter.take("k", 3);
      Duration wait = limiter.take("k", 2).retryAfter();
      Decision larger = limiter.take("k", 3);
      time.advance(wait.dividedBy(3));
      Decision same = limiter.take("k", 2);
      assertThat(same.allowed()).isFalse();
      assertThat(same.retryAfter()).isEqualTo(limiter.take("k", 2).retryAfter());
      Decision largerLater = limiter.take("k", 3);
      assertThat(larger.retryAfter()).isGreaterThan(wait);
      assertThat(larger.resetAfter()).isLessThanOrEqualTo(Duration.ofSeconds(3));
      time.advance(same.retryAfter());
      assertThat(limiter.tryAcquire("k", 2)).as("%s/s at the hint", rate).isTrue();
      limiter.refund("k", 2);
      time.advance(largerLater.retryAfter().minus(same.retryAfter()));
      assertThat(limiter.tryAcquire("k", 3)).as("%s/s larger, at the hint", rate).isTrue();
    }
  }

  @Test
  void take_smallerCostOrPeek_callsRedis() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perSecond(1).burst(10));
    limiter.take("k", 8);
    assertThat(limiter.tryAcquire("k", 5)).isFalse();
    assertThat(limiter.tryAcquire("k", 5)).isFalse();
    assertThat(limiter.tryAcquire("k", 2)).isTrue();
    assertThat(limiter.peek("k").allowed()).isTrue();
    assertThat(limiter.take("another", 5).allowed()).isTrue();
  }

  @Test
  void take_longWait_callsRedisAgainAfterASecond() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perHour(1).burst(1));
    limiter.take("k");
    limiter.take("k");
    // The second counts from when the request was sent, and sending took real time.
    time.advance(Duration.ofMillis(300));
    assertThat(limiter.tryAcquire("k")).isFalse();
    assertThat(counts.cachedDenials.get()).isEqualTo(1);
    time.advance(Duration.ofMillis(700));
    long before = evals();
    assertThat(limiter.tryAcquire("k")).isFalse();
    assertThat(evals()).isEqualTo(before + 1);
  }

  @Test
  void refundResetAndReplacedLimit_clearIt() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(2));
    limiter.take("k", 2);
    assertThat(limiter.tryAcquire("k")).isFalse();
    limiter.refund("k", 1);
    assertThat(limiter.tryAcquire("k")).isTrue();
    assertThat(limiter.tryAcquire("k")).isFalse();
    limiter.reset("k");
    assertThat(limiter.tryAcquire("k", 2)).isTrue();
    assertThat(limiter.tryAcquire("k")).isFalse();
    limiter.replaceLimit(Limit.perDay(1).burst(5));
    assertThat(limiter.tryAcquire("k", 3)).isTrue();
  }

  @Test
  void refund_duringADenialInFlight_clearsIt() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(2));
    limiter.take("k", 2);
    redis.freeze();
    List<CompletableFuture<Decision>> denied = new ArrayList<>();
    denied.add(limiter.takeAsync("k").toCompletableFuture());
    denied.add(limiter.takeAsync("k", 2).toCompletableFuture());
    CompletionStage<Void> refund = limiter.refundAsync("k", 2);
    redis.thaw();
    refund.toCompletableFuture().join();
    assertThat(denied).noneMatch(answer -> answer.join().allowed());
    assertThat(limiter.tryAcquire("k")).isTrue();
  }

  @Test
  void take_severalLimits_cachesTheWholeRequest() {
    RateLimiter user = RateLimiter.on(store, "user", Limit.perSecond(10).burst(50));
    RateLimiter all = RateLimiter.on(store, "all", Limit.perSecond(1).burst(1));
    RateLimiter.all(user.at("k"), all.global().at()).take();
    Decision first = RateLimiter.all(user.at("k"), all.global().at()).take();
    long before = evals();
    Decision again = RateLimiter.all(user.at("k"), all.global().at()).take();
    assertThat(evals()).isEqualTo(before);
    assertThat(again.limiter()).isEqualTo("all");
    assertThat(again.retryAfter()).isEqualTo(first.retryAfter());
    assertThat(RateLimiter.all(user.at("k"), all.at("other")).take().allowed()).isTrue();
    assertThat(user.peek("k").remaining()).isEqualTo(48);
  }
}
