package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that share a call are decided as if each had been sent alone, in order. */
@Tag("full")
class CoalescingIT {
  private static final int CALLERS = 64;
  private static final int ROUNDS = 8;
  private static final int REQUESTS = 5;

  private final RedisProcess redis = RedisProcess.start();
  private final ScriptTime time = new ScriptTime(redis);
  private final Queue<Batch> calls = new ConcurrentLinkedQueue<>();
  private final Counts counts = new Counts();
  private final RedisStore store =
      time.builder()
          .denialMemory(false)
          .observer(counts)
          .callObserver(calls::add)
          .connect(RedisURI.create(redis.url()));

  @AfterEach
  void stop() {
    assertThat(redis.keysWithoutTtl()).isEmpty();
    store.close();
    redis.close();
  }

  private List<RateLimiter> limiters() {
    List<Limit> limits =
        List.of(
            Limit.perSecond(100).burst(150),
            Limit.perSecond(300).burst(300),
            Limit.perSecond(50).burst(60),
            Limit.fixedWindow(400, Duration.ofSeconds(1)),
            Limit.slidingWindow(300, Duration.ofSeconds(1)),
            Limit.slidingLog(300, Duration.ofSeconds(1)));
    List<RateLimiter> limiters = new ArrayList<>();
    for (Limit limit : limits) {
      limiters.add(RateLimiter.on(store, "limit" + limiters.size(), limit));
    }
    return limiters;
  }

  @Test
  void take_manyCallersAtOnce_isAsOneByOneInOrder() throws Exception {
    List<RateLimiter> limiters = limiters();
    ScriptModel model = new ScriptModel();
    ExecutorService pool = Executors.newFixedThreadPool(CALLERS);
    CyclicBarrier start = new CyclicBarrier(CALLERS);
    for (int round = 0; round < ROUNDS; round++) {
      List<Future<?>> callers = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        Random random = new Random(round * CALLERS + caller);
        callers.add(
            pool.submit(
                () -> {
                  start.await(1, TimeUnit.MINUTES);
                  for (int i = 0; i < REQUESTS; i++) {
                    request(limiters, random);
                  }
                  return null;
                }));
      }
      for (Future<?> caller : callers) {
        caller.get(30, TimeUnit.SECONDS);
      }
      int compared = compare(model);
      assertThat(compared).isEqualTo(CALLERS * REQUESTS);
      time.advance(Duration.ofMillis(37L * round));
    }
    pool.shutdown();
    System.out.printf("%d requests in %d calls%n", counts.requests.get(), counts.calls.get());
    assertThat(counts.calls.get()).isLessThan(counts.requests.get() / 2);
  }

  private static void request(List<RateLimiter> limiters, Random random) throws Exception {
    List<RateLimiter> some = new ArrayList<>(limiters);
    Collections.shuffle(some, random);
    Claim[] claims =
        some.subList(0, 1 + random.nextInt(4)).stream()
            .map(limiter -> limiter.at("key" + random.nextInt(2), random.nextInt(5)))
            .toArray(Claim[]::new);
    if (random.nextBoolean()) {
      RateLimiter.all(claims).take();
    } else {
      RateLimiter.all(claims).takeAsync().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
  }

  /** Replays all calls in order, and returns the number of requests. */
  private int compare(ScriptModel model) {
    int compared = 0;
    Batch call;
    while ((call = calls.poll()) != null) {
      assertThat(call.size()).isLessThanOrEqualTo(256);
      for (PendingRequest request : call.requests()) {
        Decision expected = model.decide(request.operation(), request.claims(), time.micros());
        assertThat(request.decision().join()).usingRecursiveComparison().isEqualTo(expected);
        compared++;
      }
    }
    return compared;
  }

  /** Sends requests while a call is in flight, so that all of them share the next call. */
  private List<CompletableFuture<Decision>> together(List<Claim[]> requests) {
    redis.freeze();
    List<CompletableFuture<Decision>> answers = new ArrayList<>();
    for (Claim[] claims : requests) {
      answers.add(RateLimiter.all(claims).takeAsync().toCompletableFuture());
    }
    redis.thaw();
    answers.forEach(answer -> answer.orTimeout(1, TimeUnit.MINUTES).join());
    return answers;
  }

  @Test
  void take_equalRequests_collapseIntoOne() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(100));
    List<Claim[]> requests = new ArrayList<>();
    for (int i = 0; i < 201; i++) {
      requests.add(new Claim[] {limiter.at("k")});
    }
    List<CompletableFuture<Decision>> answers = together(requests);
    assertThat(answers.stream().filter(answer -> answer.join().allowed())).hasSize(100);
    for (int i = 0; i < 201; i++) {
      Decision decision = answers.get(i).join();
      assertThat(decision.allowed()).isEqualTo(i < 100);
      assertThat(decision.remaining()).isEqualTo(Math.max(0, 99 - i));
    }
    assertThat(calls).extracting(Batch::size).containsExactly(1, 200);
    assertThat(calls)
        .extracting(call -> call.numbers().toBytes().length)
        .allMatch(size -> size < 60);
  }

  @Test
  void take_largeRequestDenied_doesNotBlockSmallerOnesBehindIt() {
    RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(10));
    RateLimiter other = RateLimiter.on(store, "y", Limit.perDay(1).burst(2));
    List<CompletableFuture<Decision>> answers =
        together(
            List.of(
                new Claim[] {limiter.at("k", 4)},
                new Claim[] {limiter.at("k", 9)},
                new Claim[] {limiter.at("k", 3), other.at("k", 2)},
                new Claim[] {limiter.at("k", 1), other.at("k", 1)},
                new Claim[] {limiter.at("k", 9)},
                new Claim[] {limiter.at("k", 3)},
                new Claim[] {limiter.at("k", 1)}));
    assertThat(answers)
        .extracting(answer -> answer.join().allowed())
        .containsExactly(true, false, true, false, false, true, false);
    assertThat(limiter.peek("k").remaining()).isZero();
  }

  @Test
  void take_manyClaims_useSeveralCalls() {
    List<Claim[]> requests = new ArrayList<>();
    List<RateLimiter> limiters = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      limiters.add(RateLimiter.on(store, "x" + i, Limit.perDay(1).burst(10)));
    }
    for (int i = 0; i < 60; i++) {
      String key = "k" + i;
      requests.add(limiters.stream().map(limiter -> limiter.at(key)).toArray(Claim[]::new));
    }
    List<CompletableFuture<Decision>> answers = together(requests);
    assertThat(answers).allMatch(answer -> answer.join().results().size() == 100);
    assertThat(calls).allMatch(call -> call.keyCount() <= 1024);
  }
}
