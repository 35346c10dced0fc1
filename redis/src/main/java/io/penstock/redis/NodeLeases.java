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
final class NodeLeases {
  /** The maximum number of leases; requests for other keys go to Redis. */
  private static final int MAX_LEASES = 4096;

  private static final long CHECK_MILLIS = 100;

  private final ScheduledExecutorService timer;
  private final Consumer<LeaseRequest> send;
  private final Consumer<RedisClaim> changed;
  private final RedisObserver observer;
  private final LongSupplier nanos = System::nanoTime;
  private final KeyHeat heat = new KeyHeat(nanos);
  private final Set<LimiterLeases> all = ConcurrentHashMap.newKeySet();
  private final AtomicInteger held = new AtomicInteger();
  private final AtomicBoolean checkScheduled = new AtomicBoolean();
  private volatile boolean anyAuto;

  /**
   * @param timer a single thread, which silently discards tasks after its shutdown
   * @param send sends a request to Redis, or fails it immediately
   * @param changed receives the buckets that tokens were returned to
   */
  NodeLeases(
      ScheduledExecutorService timer,
      Consumer<LeaseRequest> send,
      Consumer<RedisClaim> changed,
      RedisObserver observer) {
    this.timer = timer;
    this.send = send;
    this.changed = changed;
    this.observer = observer;
  }

  /** Registers leases, which may be empty. */
  void register(LimiterLeases leases) {
    if (leases.isAuto()) {
      anyAuto = true;
    }
  }

  /** Adds leases that hold something; they are removed when they no longer do. */
  void add(LimiterLeases leases) {
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
  void report(RedisClaim claim, Lease.LeaseCall call, Lease.LeaseReply reply) {
    String name = claim.buckets().name();
    if (reply.granted() > 0) {
      observer.leased(name, reply.granted());
    }
    if (call.back() > 0) {
      changed.accept(claim);
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
    Map<RedisClaim, Integer> callersByBucket = new HashMap<>();
    for (PendingRequest request : batch.requests()) {
      if (request.operation() == Operation.TAKE) {
        for (RedisClaim claim : request.claims()) {
          LimiterLeases leases = claim.buckets().leases();
          if (leases != null && leases.isAuto()) {
            callersByBucket.merge(claim, 1, Integer::sum);
          }
        }
      }
    }
    callersByBucket.forEach(
        (claim, callers) -> {
          LimiterLeases leases = claim.buckets().leases();
          if (leases != null && heat.recordAndCheckHot(claim.redisKey(), callers)) {
            leases.startIfAuto(claim.key());
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

  private void check(LimiterLeases leases) {
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
    for (LimiterLeases leases : all) {
      sum = leases.plus(sum);
    }
    return sum;
  }

  /**
   * Returns the tokens of all leases, and waits at most {@code timeoutNanos} until Redis has
   * processed the calls.
   */
  void close(long timeoutNanos) {
    long start = System.nanoTime();
    all.forEach(LimiterLeases::end);
    while (held.get() > 0 && System.nanoTime() - start < timeoutNanos) {
      LockSupport.parkNanos(200_000);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }
}
