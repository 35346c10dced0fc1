package io.penstock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.Decision;
import io.penstock.GlobalLimiter;
import io.penstock.JointRequest;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Reason;
import io.penstock.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests over several limits. */
interface JointRequestContract extends StoreUnderTest {

  @Test
  default void all_oneDenies_takesNothingAndNamesIt() {
    Store store = store();
    RateLimiter user = RateLimiter.on(store, "user", Limit.perSecond(10).burst(50));
    GlobalLimiter global = RateLimiter.on(store, "global", Limit.perSecond(1).burst(1)).global();
    assertThat(RateLimiter.all(user.at("k"), global.at()).tryAcquire()).isTrue();
    Decision denied = RateLimiter.all(user.at("k"), global.at()).take();
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.limiter()).isEqualTo("global");
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
    assertThat(denied.results()).extracting(Decision::allowed).containsExactly(true, false);
    assertThat(remaining(user, "k", 49)).isEqualTo(49);
  }

  @Test
  default void all_severalKeysOfOneLimiter_takesFromEach() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(10));
    JointRequest request = RateLimiter.all(limiter.at("a"), limiter.at("b", 2), limiter.at("c", 3));
    assertThat(request.tryAcquire()).isTrue();
    assertThat(request.take().results())
        .extracting(Decision::remaining)
        .containsExactly(8.0, 6.0, 4.0);
  }

  @Test
  default void all_costAboveOneBurst_isNeverAndTakesNothing() {
    Store store = store();
    RateLimiter small = RateLimiter.on(store, "small", Limit.perDay(1).burst(2));
    RateLimiter large = RateLimiter.on(store, "large", Limit.perDay(1).burst(100));
    Decision never = RateLimiter.all(large.at("k", 3), small.at("k", 3)).take();
    assertThat(never.neverAllowed()).isTrue();
    assertThat(never.limiter()).isEqualTo("small");
    assertThat(never.reason()).contains(Reason.COST_ABOVE_BURST);
    assertThat(remaining(large, "k", 100)).isEqualTo(100);
    assertThat(small.peek("k").remaining()).isEqualTo(2);
  }

  @Test
  default void all_severalDeny_reportsTheLongestWait() {
    Store store = store();
    RateLimiter fast = RateLimiter.on(store, "fast", Limit.perSecond(2).burst(1));
    RateLimiter slow = RateLimiter.on(store, "slow", Limit.perSecond(1).burst(1));
    JointRequest request = RateLimiter.all(fast.at("k"), slow.at("k"));
    assertThat(request.tryAcquire()).isTrue();
    Decision denied = request.take();
    assertThat(denied.limiter()).isEqualTo("slow");
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
    assertThat(denied.results()).noneMatch(Decision::allowed);
  }

  @Test
  default void all_allowed_reportsTheSmallestFraction() {
    Store store = store();
    RateLimiter large = RateLimiter.on(store, "large", Limit.perDay(1).burst(100));
    RateLimiter small = RateLimiter.on(store, "small", Limit.perDay(1).burst(4));
    Decision allowed = RateLimiter.all(large.at("k", 3), small.at("k", 3)).take();
    assertThat(allowed.limiter()).isEqualTo("small");
    assertThat(allowed.remaining()).isEqualTo(1);
  }

  @Test
  default void all_bucketAndWindows_takeTogetherOrNotAtAll() {
    Store store = store();
    RateLimiter bucket = RateLimiter.on(store, "b", Limit.perDay(1).burst(10));
    RateLimiter log = RateLimiter.on(store, "l", Limit.slidingLog(2, Duration.ofHours(1)));
    JointRequest request = RateLimiter.all(bucket.at("k"), log.at("k"));
    assertThat(request.tryAcquire()).isTrue();
    assertThat(request.tryAcquire()).isTrue();
    Decision denied = request.take();
    assertThat(denied.limiter()).isEqualTo("l");
    assertThat(remaining(bucket, "k", 8)).isEqualTo(8);
    assertThat(log.peek("k").remaining()).isZero();
  }

  @Test
  default void all_async_returnsWhatTakeDoes() throws Exception {
    Store store = store();
    RateLimiter first = RateLimiter.on(store, "first", Limit.perDay(1).burst(1));
    RateLimiter second = RateLimiter.on(store, "second", Limit.perDay(1).burst(5));
    JointRequest request = RateLimiter.all(first.at("k"), second.at("k"));
    assertThat(request.takeAsync().toCompletableFuture().get(30, TimeUnit.SECONDS).allowed())
        .isTrue();
    assertThat(request.takeAsync().toCompletableFuture().get(30, TimeUnit.SECONDS).limiter())
        .isEqualTo("first");
    assertThat(remaining(second, "k", 4)).isEqualTo(4);
  }

  @Test
  default void all_sameBucketTwice_isRejected() {
    RateLimiter limiter = RateLimiter.on(store(), "c", Limit.perDay(1).burst(10));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RateLimiter.all(limiter.at("k"), limiter.at("k", 2)).take())
        .withMessage("a bucket can be claimed only once: c");
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
  }

  @Test
  default void peek_anyLimits_returnsWhatTakeWouldAndTakesNothing() {
    Store store = store();
    RateLimiter bucket = RateLimiter.on(store, "b", Limit.perSecond(2).burst(5));
    RateLimiter fixed = RateLimiter.on(store, "f", Limit.fixedWindow(9, Duration.ofSeconds(10)));
    RateLimiter counter = RateLimiter.on(store, "c", Limit.slidingWindow(9, Duration.ofSeconds(1)));
    RateLimiter log = RateLimiter.on(store, "l", Limit.slidingLog(9, Duration.ofSeconds(1)));
    JointRequest claims =
        RateLimiter.all(bucket.at("k", 2), fixed.at("k", 2), counter.at("k", 2), log.at("k", 2));
    for (int i = 0; i < 4; i++) {
      Decision foreseen = claims.peek();
      Decision again = claims.peek();
      Decision taken = claims.take();
      assertThat(foreseen.allowed()).as("request %d", i).isEqualTo(i < 2);
      for (Decision other : List.of(again, taken)) {
        assertThat(other.results())
            .usingRecursiveFieldByFieldElementComparator()
            .containsExactlyElementsOf(foreseen.results());
      }
    }
  }
}
