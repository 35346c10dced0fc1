package io.penstock.bench.local;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/** Each thread cycles through all keys from its own offset. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init")
public class ManyKeys {
  /** The number of keys in most tables. */
  static final int KEYS = 1_000_000;

  private static final double MIN_KEPT = 0.999;

  @Param public KeyedContender contender;
  @Param public LocalLimits limits;

  @Param({"" + KEYS})
  public int keys;

  private KeyedLimiter limiter;
  private String[] inserted;
  private String[] requested;

  /** The position of a thread. */
  @State(Scope.Thread)
  public static class KeyTurn {
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
    requested = Keys.requested(inserted);
    limiter = contender.open(limits, 2L * keys);
    for (String key : inserted) {
      limiter.tryAcquire(key);
    }
    System.gc();
  }

  @Benchmark
  public boolean tryAcquire(KeyTurn turn, Answers answers) {
    return answers.count(limiter.tryAcquire(requested[turn.advance()]));
  }

  /** Fails if the limiter evicted keys, because it would have worked on a smaller table. */
  @TearDown
  public void checkKept() {
    if (limiter.keys() < MIN_KEPT * keys) {
      throw new IllegalStateException(
          "%s kept %d of %d keys".formatted(contender, limiter.keys(), inserted.length));
    }
  }
}
