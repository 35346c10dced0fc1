package io.penstock.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Manages all leases of a node. Thread-safe. */
final class Leasing {
  /** The maximum number of leases; requests for other keys go to Redis. */
  private static final int MAX_LEASES = 4096;

  private static final long CHECK_MILLIS = 100;

  private final ScheduledExecutorService timer;
  private final Consumer<LeaseRequest> send;
  private final Consumer<BucketRequest> changed;
  private final RedisObserver observer;
  private final LongSupplier nanos = System::nanoTime;
  private final KeyHeat heat = new KeyHeat(nanos);
  private final Set<Leases> all = ConcurrentHashMap.newKeySet();
  private final AtomicInteger held = new AtomicInteger();
  private final AtomicBoolean checkScheduled = new AtomicBoolean();
  private volatile boolean anyAuto;

  /**
   * @param timer a single thread, which silently discards tasks after its shutdown
   * @param send sends a request to Redis, or fails it immediately
   * @param changed receives the buckets that tokens were returned to
   */
  Leasing(
      ScheduledExecutorService timer,
      Consumer<LeaseRequest> send,
      Consumer<BucketRequest> changed,
      RedisObserver observer) {
    this.timer = timer;
    this.send = send;
    this.changed = changed;
    this.observer = observer;
  }

  /** Registers leases, which may be empty. */
  void register(Leases leases) {
    if (leases.isAuto()) {
      anyAuto = true;
    }
  }

  /** Adds leases that hold something; they are removed when they no longer do. */
  void add(Leases leases) {
    all.add(leases);
  }

  LongSupplier nanos() {
    return nanos;
  }

  RedisObserver observer() {
    return observer;
  }

  boolean recordAndCheckWarm(String redisKey) {
    return heat.recordAndCheckWarm(redisKey);
  }

  boolean mayHold() {
    return held.get() < MAX_LEASES;
  }

  void held(int more) {
    if (held.addAndGet(more) > 0) {
      scheduleCheck();
    }
  }

  void send(LeaseRequest request) {
    send.accept(request);
  }

  /** Reports the result of a call to the observer. */
  void report(BucketRequest part, Lease.Call call, Lease.Reply reply) {
    String name = part.buckets().name();
    if (reply.granted() > 0) {
      observer.leased(name, reply.granted());
    }
    if (call.back() > 0) {
      changed.accept(part);
      if (call.expired()) {
        observer.leaseExpired(name, call.back());
      } else {
        observer.leaseReturned(name, call.back());
      }
    }
  }

  /** Detects buckets whose calls queue up. */
  void detectHotKeys(Batch batch) {
    if (!anyAuto) {
      return;
    }
    Map<BucketRequest, Integer> callersByBucket = new HashMap<>();
    for (PendingRequest request : batch.requests()) {
      if (request.kind() == PendingRequest.RequestKind.TAKE) {
        for (BucketRequest part : request.parts()) {
          Leases leases = part.buckets().leases();
          if (leases != null && leases.isAuto()) {
            callersByBucket.merge(part, 1, Integer::sum);
          }
        }
      }
    }
    callersByBucket.forEach(
        (part, callers) -> {
          Leases leases = part.buckets().leases();
          if (leases != null && heat.recordAndCheckHot(part.redisKey(), callers)) {
            leases.startIfAuto(part.key());
          }
        });
  }

  private void scheduleCheck() {
    if (checkScheduled.compareAndSet(false, true)) {
      var unused = timer.schedule(this::checkAll, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void checkAll() {
    checkScheduled.set(false);
    try {
      all.forEach(this::check);
    } finally {
      if (held.get() > 0) {
        scheduleCheck();
      }
    }
  }

  private void check(Leases leases) {
    leases.check();
    if (leases.isEmpty()) {
      all.remove(leases);
      // A lease may have been added since.
      if (!leases.isEmpty()) {
        all.add(leases);
      }
    }
  }

  /** The current figures of all leases. */
  LeaseStats stats() {
    LeaseStats sum = LeaseStats.NOTHING;
    for (Leases leases : all) {
      sum = leases.plus(sum);
    }
    return sum;
  }

  /**
   * Gives all leases back, and waits at most {@code timeoutNanos} until Redis has processed that.
   */
  void close(long timeoutNanos) {
    long start = System.nanoTime();
    all.forEach(Leases::end);
    while (held.get() > 0 && System.nanoTime() - start < timeoutNanos) {
      LockSupport.parkNanos(200_000);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }
}
