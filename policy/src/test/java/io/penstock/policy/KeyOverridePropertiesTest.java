package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.TokenBucket;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Overrides of keys that consume tokens at one instant, in random order and concurrently. */
final class KeyOverridePropertiesTest {
  private static final int BURST = 5;
  private static final int LARGE = 20;
  private static final int CALLERS = 4;
  private static final int ROUNDS = 2_000;

  private final PolicyEngine engine =
      new PolicyEngine(
          InProcessStore.builder().clock(new ManualClock()).build(),
          PolicyLoader.parse(
                  "{name: user, limit_keys: [user_id], rate: 1/h, burst: " + BURST + "}",
                  "policy.yaml")
              .policy());

  @AfterEach
  void close() {
    engine.close();
  }

  private static TokenBucket bucket(int burst) {
    return Limit.perHour(1).burst(burst);
  }

  private static RuleKey key(int user) {
    return new RuleKey("user", "user_id=" + user);
  }

  private boolean isAllowed(int user) {
    return engine
        .decide(ExplicitRequest.builder().path("/").attribute("user_id", "" + user).build())
        .allowed();
  }

  /**
   * The key never owes more than it has consumed. It owes all of it, except that a limit that is no
   * longer active may forgive what exceeds the bursts of the others.
   */
  @Test
  void override_anySequence_consumedTokensStayConsumed() {
    for (int user = 0; user < ROUNDS; user++) {
      Random random = new Random(user);
      StringBuilder steps = new StringBuilder("seed " + user + ":");
      int burst = BURST;
      int consumed = 0;
      int owed = 0;
      for (int i = 0; i < 60; i++) {
        int step = random.nextInt(12);
        if (step <= 1) {
          burst = step == 0 ? BURST : random.nextInt(1, 30);
          engine.override(key(user), step == 0 ? null : bucket(burst));
          owed = Math.min(owed, Math.max(burst, BURST));
          steps.append(step == 0 ? " end" : " override ").append(burst);
        }
        boolean allowed = isAllowed(user);
        steps.append(allowed ? " allowed" : " denied");
        if (consumed < burst || owed >= burst) {
          assertThat(allowed).as(steps.toString()).isEqualTo(consumed < burst);
        }
        consumed += allowed ? 1 : 0;
        owed += allowed ? 1 : 0;
      }
    }
  }

  /**
   * Begins an override before or during the requests of a key, and ends it during them. A request
   * that found the override before it ended can be granted after its state has been dropped, so
   * each caller may be granted one more.
   */
  @Test
  void override_whileRequestsAreDecided_grantsTheLargerLimitAndRequestsInFlightAtMost()
      throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    AtomicIntegerArray allowed = new AtomicIntegerArray(ROUNDS);
    Phaser start = new Phaser(CALLERS + 1);
    try {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        calls.add(callers.submit(() -> requestAll(start, allowed)));
      }
      for (int user = 0; user < ROUNDS; user++) {
        boolean isEarly = user % 2 == 0;
        if (isEarly) {
          engine.override(key(user), bucket(LARGE));
        }
        start.arriveAndAwaitAdvance();
        awaitAllowed(allowed, user, user % (isEarly ? LARGE : BURST));
        engine.override(key(user), isEarly ? null : bucket(LARGE));
        engine.override(key(user), null);
      }
      for (Future<?> call : calls) {
        call.get(60, TimeUnit.SECONDS);
      }
    } finally {
      start.forceTermination();
      callers.shutdownNow();
    }
    for (int user = 0; user < ROUNDS; user++) {
      assertThat(allowed.get(user)).as("user " + user).isBetween(BURST, LARGE + CALLERS);
    }
  }

  private void requestAll(Phaser start, AtomicIntegerArray allowed) {
    for (int user = 0; user < ROUNDS; user++) {
      start.arriveAndAwaitAdvance();
      for (int request = 0; request < LARGE; request++) {
        if (isAllowed(user)) {
          allowed.incrementAndGet(user);
        }
      }
    }
  }

  private static void awaitAllowed(AtomicIntegerArray allowed, int user, int count) {
    while (allowed.get(user) < count) {
      Thread.onSpinWait();
    }
  }
}
