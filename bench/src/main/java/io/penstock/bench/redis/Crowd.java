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

  Crowd(SharedLimiter limiter) {
    this.limiter = limiter;
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
    List<Future<Tally>> tallies = new ArrayList<>();
    for (int caller = 0; caller < callers; caller++) {
      String[] keys = workload.keysOf(caller, callers);
      FutureTask<Tally> task =
          new FutureTask<>(
              () -> {
                gate.await();
                return ask(keys, start.nanos, end);
              });
      new Thread(task, "caller-" + caller).start();
      tallies.add(task);
    }
    Tally sum = Tally.NOTHING;
    for (Future<Tally> tally : tallies) {
      sum = sum.plus(tally.get());
    }
    Tally others = new Tally(0, 0, 0, System.nanoTime() - start.nanos, othersSince(start.bytes));
    return sum.plus(others);
  }

  /** The state at the start of the callers. Written before any of them reads it. */
  private static final class Start {
    private long nanos;
    private Map<Long, Long> bytes = Map.of();

    void begin() {
      bytes = allocations();
      nanos = System.nanoTime();
    }
  }

  private Tally ask(String[] keys, long startNanos, End end) {
    long bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
    long allowed = 0;
    long denied = 0;
    long gaveUp = 0;
    int next = 0;
    for (long sent = 0; !end.reached(sent, System.nanoTime() - startNanos); sent++) {
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
    }
    long bytes = THREADS.getCurrentThreadAllocatedBytes() - bytesBefore;
    return new Tally(allowed, denied, gaveUp, 0, bytes);
  }

  /** Returns the bytes allocated by other threads, such as those that read from Redis. */
  private static long othersSince(Map<Long, Long> before) {
    long bytes = 0;
    for (Map.Entry<Long, Long> thread : allocations().entrySet()) {
      bytes += Math.max(0, thread.getValue() - before.getOrDefault(thread.getKey(), 0L));
    }
    return bytes;
  }

  private static Map<Long, Long> allocations() {
    long[] ids = THREADS.getAllThreadIds();
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    Map<Long, Long> allocations = new HashMap<>();
    for (int i = 0; i < ids.length; i++) {
      allocations.put(ids[i], bytes[i]);
    }
    return allocations;
  }
}
