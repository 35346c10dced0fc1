package io.penstock.server.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopDeniedTest {
  private static final boolean FULL = Boolean.getBoolean("penstock.full");
  private static final int KEYS = FULL ? 10_000_000 : 300_000;
  private static final int EVENTS = FULL ? 10_000_000 : 300_000;
  private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

  private final ManualClock clock = new ManualClock();
  private final TopDenied top = new TopDenied(clock, () -> NOW, Runnable::run);

  @ParameterizedTest
  @CsvSource({"0.8, 1", "0.9, 2", "1.0, 3", "1.0, 4", "1.1, 5", "1.5, 6"})
  void top_zipfLoad_isTheTrueTopTwentyWithinOnePercent(double exponent, long seed) {
    Random random = new Random(seed);
    int[] truth = new int[KEYS + 1];
    for (int i = 0; i < EVENTS; i++) {
      int key = ZipfKeys.zipf(random, KEYS, exponent);
      truth[key]++;
      top.count("login", "user_id=" + key);
      if (i % 50_000 == 0) {
        top.drain();
        clock.advance(Duration.ofSeconds(1));
      }
    }
    TopDenied.TopKeys found = top.top(20);
    assertThat(found.denied()).isEqualTo(EVENTS);
    assertTrueTopTwenty(found.keys(), truth);
  }

  @ParameterizedTest
  @CsvSource({"0.9, 7", "1.0, 8", "1.2, 9"})
  void top_zipfLoadOfSeveralThreads_isTheTrueTopTwenty(double exponent, long seed)
      throws InterruptedException {
    int threads = 4;
    int[][] truths = new int[threads][KEYS + 1];
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> counting = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      Random random = new Random(seed * threads + t);
      int[] truth = truths[t];
      counting.add(
          new Thread(
              () -> {
                for (int i = 0; i < EVENTS / threads; i++) {
                  int key = ZipfKeys.zipf(random, KEYS, exponent);
                  truth[key]++;
                  top.count("login", "user_id=" + key);
                }
              }));
    }
    Thread draining =
        new Thread(
            () -> {
              while (!done.get()) {
                top.drain();
              }
            });
    draining.start();
    counting.forEach(Thread::start);
    for (Thread thread : counting) {
      thread.join();
    }
    done.set(true);
    draining.join();
    int[] truth = new int[KEYS + 1];
    for (int[] part : truths) {
      Arrays.setAll(truth, key -> truth[key] + part[key]);
    }
    TopDenied.TopKeys found = top.top(20);
    assertThat(found.denied() + top.uncounted()).isEqualTo((long) EVENTS / threads * threads);
    assertTrueTopTwenty(found.keys(), truth);
  }

  /**
   * Checks that the keys are the 20 most frequent ones, with counts within 1 %. Keys that are as
   * frequent as the 20th are as good.
   */
  private static void assertTrueTopTwenty(List<TopKey> keys, int[] truth) {
    int[] ascending = truth.clone();
    Arrays.sort(ascending);
    int twentieth = ascending[KEYS - 19];
    Set<Integer> found = new HashSet<>();
    for (TopKey key : keys) {
      int number = Integer.parseInt(key.key().substring("user_id=".length()));
      found.add(number);
      assertThat(truth[number])
          .as("%s is one of the top 20", key)
          .isGreaterThanOrEqualTo(twentieth);
      assertThat((double) key.denied())
          .as("count of %s", key)
          .isBetween(0.99 * truth[number], 1.01 * truth[number]);
    }
    assertThat(found).hasSize(20);
    for (int number = 1; number <= KEYS; number++) {
      if (truth[number] > twentieth) {
        assertThat(found).contains(number);
      }
    }
    assertThat(keys).extracting(TopKey::denied).isSortedAccordingTo((a, b) -> Long.compare(b, a));
  }

  @Test
  void count_manyDistinctKeys_keepsMemoryBoundedAndFindsTheFrequentOne() {
    for (int i = 0; i < KEYS; i++) {
      top.count("login", "user_id=" + i);
      if (i % 100 == 0) {
        top.count("login", "user_id=attacker");
      }
    }
    assertThat(top.top(20).keys().get(0))
        .isEqualTo(new TopKey("login", "user_id=attacker", KEYS / 100, 0, NOW));
    assertThat(top.top(20).denied()).isEqualTo(KEYS + KEYS / 100);
    assertThat(top.size()).isLessThanOrEqualTo(2 * TopDenied.MAX_KEYS_PER_RULE);
    assertThat(top.uncounted()).isZero();
  }

  @Test
  void count_thousandRulesWithManyKeys_keepsMemoryBounded() {
    Random random = new Random(7);
    long[][] truth = new long[1_100][21];
    for (int i = 0; i < KEYS; i++) {
      int rule = random.nextInt(1_100);
      int key = ZipfKeys.zipf(random, 100_000, 1);
      top.count("rule" + rule, "user_id=" + key);
      if (key <= 20) {
        truth[rule][key]++;
      }
    }
    assertThat(top.size())
        .isLessThanOrEqualTo(TopDenied.MAX_KEYS + 2 * TopDenied.MAX_KEYS_PER_RULE);
    long denied = top.top(1_000).denied();
    assertThat(denied).isEqualTo(KEYS);
    TopDenied.TopKeys one = top.top("rule5", 20);
    assertThat(one.keys().get(0).key()).isEqualTo("user_id=1");
    long actual = truth[5][1];
    assertThat(one.keys().get(0).denied()).isGreaterThanOrEqualTo(actual);
    assertThat(one.keys().get(0).denied() - one.keys().get(0).error()).isLessThanOrEqualTo(actual);
  }

  @Test
  void top_ofOneRule_hasOnlyItsKeys() {
    top.count("a", "x");
    top.count("b", "x");
    top.count("b", "y");
    top.count("b", "y");
    assertThat(top.top("a", 20).keys()).containsExactly(new TopKey("a", "x", 1, 0, NOW));
    assertThat(top.top("b", 1))
        .isEqualTo(new TopDenied.TopKeys(3, List.of(new TopKey("b", "y", 2, 0, NOW))));
    assertThat(top.top("c", 20)).isEqualTo(new TopDenied.TopKeys(0, List.of()));
    assertThat(top.top(20).keys()).extracting(TopKey::denied).containsExactly(2L, 1L, 1L);
  }

  @Test
  void top_ruleBeyondTheMaxNumber_isTrackedTogetherWithOthers() {
    for (int rule = 0; rule <= TopDenied.MAX_RULES; rule++) {
      top.count("rule" + rule, "x");
      top.drain();
    }
    top.count("late", "y");
    assertThat(top.top("late", 20).keys()).containsExactly(new TopKey("late", "y", 1, 0, NOW));
    assertThat(top.top(5_000).keys()).hasSize(TopDenied.MAX_RULES + 2);
  }

  @Test
  void drain_afterTheWindow_forgetsByTheMinute() {
    top.count("a", "x");
    top.drain();
    clock.advance(Duration.ofMinutes(10));
    top.count("a", "x");
    top.count("a", "y");
    assertThat(top.top(20).keys()).extracting(TopKey::denied).containsExactly(2L, 1L);
    clock.advance(Duration.ofMinutes(5));
    assertThat(top.top(20).keys()).extracting(TopKey::denied).containsExactly(1L, 1L);
    assertThat(top.top(20).denied()).isEqualTo(2);
    clock.advance(Duration.ofMinutes(10));
    assertThat(top.top(20)).isEqualTo(new TopDenied.TopKeys(0, List.of()));
    assertThat(top.size()).isZero();
    assertThat(top.total()).isEqualTo(3);
  }

  @Test
  void count_executorThatFallsBehind_countsTheRestAsANumber() {
    Deque<Runnable> waiting = new ArrayDeque<>();
    TopDenied behind = new TopDenied(clock, () -> NOW, waiting::add);
    for (int i = 0; i < 100_000; i++) {
      behind.count("a", "user_id=" + i);
    }
    waiting.forEach(Runnable::run);
    assertThat(behind.uncounted()).isPositive();
    assertThat(behind.top(1).denied() + behind.uncounted()).isEqualTo(100_000);
    assertThat(behind.total()).isEqualTo(100_000);
    clock.advance(Duration.ofMinutes(15));
    assertThat(behind.uncounted()).isZero();
  }

  @Test
  void count_executorThatFallsBehind_countsFrequentKeysExactly() {
    Deque<Runnable> waiting = new ArrayDeque<>();
    TopDenied behind = new TopDenied(clock, () -> NOW, waiting::add);
    for (int i = 0; i < 100_000; i++) {
      behind.count("a", "user_id=" + i);
      if (i % 50 == 0) {
        behind.count("a", "user_id=attacker");
      }
    }
    waiting.forEach(Runnable::run);
    assertThat(behind.uncounted()).isPositive();
    TopKey first = behind.top(1).keys().get(0);
    assertThat(first.key()).isEqualTo("user_id=attacker");
    assertThat(first.denied()).isEqualTo(2_000);
  }

  @Test
  void count_manyThreadsWhileDraining_countsEachExactlyOnce() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          new Thread(
              () -> {
                for (int i = 0; i < 50_000; i++) {
                  top.count("a", "user_id=" + ThreadLocalRandom.current().nextInt(5_000));
                  if (i % 1_000 == 0) {
                    top.drain();
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(top.top(1).denied()).isEqualTo(200_000);
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "4"})
  void hitters_randomLoad_neverReportTooFew(long seed) {
    Random random = new Random(seed);
    HeavyHitters hitters = new HeavyHitters(0);
    Map<String, long[]> truth = new TreeMap<>();
    int minutes = 40;
    for (int minute = 0; minute < minutes; minute++) {
      hitters.advance(minute);
      for (int batch = 0; batch < 20; batch++) {
        for (int i = 0; i < 100; i++) {
          String key = "k" + ZipfKeys.zipf(random, 5_000, 0.7);
          int count = 1 + random.nextInt(3);
          hitters.add(new DeniedKey("a", key), count, NOW);
          truth.computeIfAbsent(key, unused -> new long[minutes])[minute] += count;
        }
        hitters.trim(100);
        assertThat(hitters.size()).isLessThanOrEqualTo(100);
      }
      int now = minute;
      hitters.forEach(
          key -> {
            long actual = 0;
            for (int m = Math.max(0, now - HeavyHitters.MINUTES + 1); m <= now; m++) {
              actual += truth.get(key.key())[m];
            }
            assertThat(actual).isBetween(key.denied() - key.error(), key.denied());
          });
    }
  }
}
