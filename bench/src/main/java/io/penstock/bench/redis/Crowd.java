package io.penstock.bench.redis;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** Runs callers of a limiter on separate threads, which start at the same time. */
final class Crowd {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final SharedLimiter limiter;
  private final boolean timed;

  /**
   * @param timed whether to record the latency of each request
   */
  Crowd(SharedLimiter limiter, boolean timed) {
    this.limiter = limiter;
    this.timed = timed;
  }

  /** The condition under which a caller stops. */
  interface End {
    boolean reached(long sent, long sinceStartNanos);
  }

  /** Runs {@code callers} until each has reached its end. */
  Tally ask(Workload workload, int callers, End end)
      throws InterruptedException, ExecutionException {
    limiter.expect(callers);
    Start start = new Start();
    CyclicBarrier gate = new CyclicBarrier(callers, start::begin);
    List<Thread> threads = new ArrayList<>();
    List<Future<Tally>> tallies = new ArrayList<>();
    for (int caller = 0; caller < callers; caller++) {
      String[] keys = workload.keysOf(caller, callers);
      FutureTask<Tally> task =
          new FutureTask<>(
              () -> {
                gate.await();
                return ask(keys, start.nanos, end);
              });
      Thread thread = new Thread(task, "caller-" + caller);
      thread.start();
      threads.add(thread);
      tallies.add(task);
    }
    Tally sum = Tally.NOTHING;
    for (Future<Tally> tally : tallies) {
      sum = sum.plus(tally.get());
    }
    long nanos = System.nanoTime() - start.nanos;
    return sum.plus(new Tally(0, 0, 0, nanos, othersSince(start.usages, threads), new Latencies()));
  }

  /** The state at the start of the callers. Written before any of them reads it. */
  private static final class Start {
    private long nanos;
    private Map<Long, Usage> usages = Map.of();

    void begin() {
      usages = usages();
      nanos = System.nanoTime();
    }
  }

  private Tally ask(String[] keys, long startNanos, End end) {
    Latencies latencies = new Latencies();
    Usage before = ownUsage();
    long allowed = 0;
    long denied = 0;
    long gaveUp = 0;
    int next = 0;
    long now = System.nanoTime();
    for (long sent = 0; !end.reached(sent, now - startNanos); sent++) {
      try {
        if (limiter.tryAcquire(keys[next])) {
          allowed++;
        } else {
          denied++;
        }
      } catch (GaveUpException unanswered) {
        gaveUp++;
      }
      next = next + 1 == keys.length ? 0 : next + 1;
      long sentNanos = now;
      now = System.nanoTime();
      if (timed) {
        latencies.add(now - sentNanos);
      }
    }
    return new Tally(allowed, denied, gaveUp, 0, ownUsage().minus(before), latencies);
  }

  private static Usage ownUsage() {
    return new Usage(THREADS.getCurrentThreadAllocatedBytes(), THREADS.getCurrentThreadCpuTime());
  }

  /**
   * Returns the usage of other threads, such as those that read from Redis. A caller that has
   * returned its tally may still be running, but has counted its usage itself.
   */
  private static Usage othersSince(Map<Long, Usage> before, List<Thread> callers) {
    Map<Long, Usage> usages = usages();
    callers.forEach(caller -> usages.remove(caller.getId()));
    Usage sum = Usage.NONE;
    for (Map.Entry<Long, Usage> thread : usages.entrySet()) {
      sum = sum.plus(thread.getValue().minus(before.getOrDefault(thread.getKey(), Usage.NONE)));
    }
    return sum;
  }

  private static Map<Long, Usage> usages() {
    long[] ids = THREADS.getAllThreadIds();
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    long[] cpuNanos = THREADS.getThreadCpuTime(ids);
    Map<Long, Usage> usages = new HashMap<>();
    for (int i = 0; i < ids.length; i++) {
      // Both are -1 for a thread that has just ended.
      if (bytes[i] >= 0 && cpuNanos[i] >= 0) {
        usages.put(ids[i], new Usage(bytes[i], cpuNanos[i]));
      }
    }
    return usages;
  }
}
