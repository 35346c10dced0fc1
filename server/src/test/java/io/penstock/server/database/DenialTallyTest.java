package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DenialTallyTest {
  @Test
  void add_sameKeyAndSecond_isOneRowWithACount() {
    DenialTally tally = new DenialTally(10);
    for (int i = 0; i < 5; i++) {
      add(tally, "a", 1);
    }
    add(tally, "a", 2);
    add(tally, "b", 1);

    assertThat(tally.drain().stream().map(Violation::denied)).containsExactlyInAnyOrder(5L, 1L, 1L);
    assertThat(tally.drain()).isEmpty();
  }

  @Test
  void add_noRoom_isDroppedAndCounted() {
    DenialTally tally = new DenialTally(2);
    add(tally, "a", 1);
    add(tally, "b", 1);
    add(tally, "c", 1);
    add(tally, "a", 1);

    assertThat(tally.dropped()).isEqualTo(1);
    assertThat(denied(tally.drain())).isEqualTo(3);
    add(tally, "c", 1);
    assertThat(tally.dropped()).as("what is being written takes room").isEqualTo(2);
    tally.release(2);
    add(tally, "c", 1);
    assertThat(tally.dropped()).isEqualTo(2);
  }

  @Test
  void add_manyThreadsWhileDraining_countsEachExactlyOnce() throws InterruptedException {
    DenialTally tally = new DenialTally(50);
    AtomicLong drained = new AtomicLong();
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          new Thread(
              () -> {
                for (int i = 0; i < 50_000; i++) {
                  add(tally, "key" + i % 100, i / 1_000);
                }
              }));
    }
    Thread drainer =
        new Thread(
            () -> {
              while (!done.get()) {
                List<Violation> rows = tally.drain();
                drained.addAndGet(denied(rows));
                tally.release(rows.size());
              }
            });
    drainer.start();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    done.set(true);
    drainer.join();
    List<Violation> rest = tally.drain();
    tally.release(rest.size());

    assertThat(drained.get() + denied(rest) + tally.dropped())
        .isEqualTo(200_000)
        .isEqualTo(tally.seen());
    assertThat(tally.size()).isZero();
  }

  private static long denied(List<Violation> rows) {
    return rows.stream().mapToLong(Violation::denied).sum();
  }

  private static void add(DenialTally tally, String key, long second) {
    tally.add(
        new DenialTally.Key("rule", key, false, second),
        () ->
            new Violation(
                key, null, null, null, Instant.ofEpochSecond(second), 0, null, "rule", "x", 1));
  }
}
