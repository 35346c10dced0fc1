package io.penstock.bench.local;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures how evenly two threads get decisions on one key, and how long a decision takes. Prints
 * the number of decisions of the slower and the faster thread, and percentiles in nanoseconds.
 */
final class FairnessProbe {
  private static final int THREADS = 2;
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String KEY = "user-0123456789abcdef";

  private FairnessProbe() {}

  /**
   * Runs the probe.
   *
   * @param args the contender, and the duration of the warm-up and of the measurement in
   *     milliseconds
   */
  public static void main(String[] args) throws InterruptedException, ExecutionException {
    Limiter limiter = HotContender.valueOf(args[0]).open(LocalLimits.ALLOWED);
    limiter.tryAcquire(KEY);
    List<Histogram> unused = run(limiter, Long.parseLong(args[1]));
    List<Histogram> threads = run(limiter, Long.parseLong(args[2]));
    Histogram all = new Histogram(MAX_NANOS, 3);
    threads.forEach(all::add);
    System.out.printf(
        "%d %d %d %d %d%n",
        threads.stream().mapToLong(Histogram::getTotalCount).min().orElseThrow(),
        threads.stream().mapToLong(Histogram::getTotalCount).max().orElseThrow(),
        all.getValueAtPercentile(50),
        all.getValueAtPercentile(99),
        all.getValueAtPercentile(99.9));
  }

  private static List<Histogram> run(Limiter limiter, long millis)
      throws InterruptedException, ExecutionException {
    CyclicBarrier gate = new CyclicBarrier(THREADS);
    List<FutureTask<Histogram>> tasks = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      FutureTask<Histogram> task =
          new FutureTask<>(
              () -> {
                gate.await();
                return latencies(limiter, TimeUnit.MILLISECONDS.toNanos(millis));
              });
      tasks.add(task);
      new Thread(task, "caller-" + i).start();
    }
    List<Histogram> latencies = new ArrayList<>();
    for (FutureTask<Histogram> task : tasks) {
      latencies.add(task.get());
    }
    return latencies;
  }

  private static Histogram latencies(Limiter limiter, long maxNanos) {
    Histogram latencies = new Histogram(MAX_NANOS, 3);
    String key = Keys.copy(KEY);
    long start = System.nanoTime();
    long now = start;
    while (now - start < maxNanos) {
      long before = now;
      if (!limiter.tryAcquire(key)) {
        throw new IllegalStateException("a request was denied");
      }
      now = System.nanoTime();
      latencies.recordValue(Math.min(MAX_NANOS, now - before));
    }
    return latencies;
  }
}
