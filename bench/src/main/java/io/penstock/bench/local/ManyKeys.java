package io.penstock.bench.local;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/** Each thread goes round all keys, from a place of its own. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init")
public class ManyKeys {
  /** As many as most rows have. */
  static final int KEYS = 1_000_000;

  private static final double MIN_KEPT = 0.999;

  @Param public KeyedContender contender;
  @Param public Terms terms;

  @Param({"" + KEYS})
  public int keys;

  private KeyedLimiter limiter;
  private String[] inserted;
  private String[] asked;

  /** Where a thread is. */
  @State(Scope.Thread)
  public static class Turn {
    private int next;
    private int count;

    @Setup
    public void begin(ManyKeys table, ThreadParams thread) {
      count = table.keys;
      next = (int) ((long) count * thread.getThreadIndex() / thread.getThreadCount());
    }

    int advance() {
      int turn = next;
      next = turn + 1 == count ? 0 : turn + 1;
      return turn;
    }
  }

  @Setup
  public void insert() {
    inserted = Keys.inserted(keys);
    asked = Keys.asked(inserted);
    limiter = contender.open(terms, 2L * keys);
    for (String key : inserted) {
      limiter.tryAcquire(key);
    }
    System.gc();
  }

  @Benchmark
  public boolean tryAcquire(Turn turn, Answers answers) {
    return answers.count(limiter.tryAcquire(asked[turn.advance()]));
  }

  /** A limiter that forgot its keys has worked on a smaller table. */
  @TearDown
  public void checkKept() {
    if (limiter.keys() < MIN_KEPT * keys) {
      throw new IllegalStateException(
          "%s kept %d of %d keys".formatted(contender, limiter.keys(), inserted.length));
    }
  }
}
