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

/** Looks after all that a node takes of buckets in advance. Thread-safe. */
final class Leasing {
  /** Beyond that, buckets are asked for each token. */
  private static final int MAX_LEASES = 4096;

  private static final long LOOK_MILLIS = 100;

  private final ScheduledExecutorService timer;
  private final Consumer<LeaseRequest> send;
  private final Consumer<BucketRequest> changed;
  private final RedisObserver observer;
  private final LongSupplier nanos = System::nanoTime;
  private final KeyHeat heat = new KeyHeat(nanos);
  private final Set<Leases> all = ConcurrentHashMap.newKeySet();
  private final AtomicInteger held = new AtomicInteger();
  private final AtomicBoolean looking = new AtomicBoolean();
  private volatile boolean anyAuto;

  /**
   * @param timer one thread, which silently takes nothing more once it is shut down
   * @param send asks Redis, or gives the call up at once
   * @param changed is told of buckets that something was put back into
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

  /** Leases that may come to hold something. */
  void expect(Leases leases) {
    if (leases.isAuto()) {
      anyAuto = true;
    }
  }

  /** Leases that hold something now; they are forgotten when they don't any more. */
  void add(Leases leases) {
    all.add(leases);
  }

  LongSupplier nanos() {
    return nanos;
  }

  RedisObserver observer() {
    return observer;
  }

  boolean isWarm(String redisKey) {
    return heat.isWarm(redisKey);
  }

  boolean mayHold() {
    return held.get() < MAX_LEASES;
  }

  void held(int more) {
    if (held.addAndGet(more) > 0) {
      lookLater();
    }
  }

  void send(LeaseRequest ask) {
    send.accept(ask);
  }

  /** Counts what a call came to. */
  void note(BucketRequest part, Lease.Call call, Lease.Reply reply) {
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

  /** Finds out which buckets calls queue up for. */
  void noteCrowds(Batch batch) {
    if (!anyAuto) {
      return;
    }
    Map<BucketRequest, Integer> crowds = new HashMap<>();
    for (PendingRequest ask : batch.asks()) {
      if (ask.what() == PendingRequest.RequestKind.TAKE) {
        for (BucketRequest part : ask.parts()) {
          Leases leases = part.buckets().leases();
          if (leases != null && leases.isAuto()) {
            crowds.merge(part, 1, Integer::sum);
          }
        }
      }
    }
    crowds.forEach(
        (part, callers) -> {
          Leases leases = part.buckets().leases();
          if (leases != null && heat.isHot(part.redisKey(), callers)) {
            leases.heated(part.key());
          }
        });
  }

  private void lookLater() {
    if (looking.compareAndSet(false, true)) {
      var unused = timer.schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void look() {
    looking.set(false);
    try {
      all.forEach(this::lookAfter);
    } finally {
      if (held.get() > 0) {
        lookLater();
      }
    }
  }

  private void lookAfter(Leases leases) {
    leases.look();
    if (leases.isEmpty()) {
      all.remove(leases);
      // Something may have been added since.
      if (!leases.isEmpty()) {
        all.add(leases);
      }
    }
  }

  /** What is held now. */
  LeaseStats figures() {
    LeaseStats sum = LeaseStats.NOTHING;
    for (Leases leases : all) {
      sum = leases.plus(sum);
    }
    return sum;
  }

  /** Gives everything back, and waits until Redis has it, for so long at most. */
  void close(long mostNanos) {
    long begun = System.nanoTime();
    all.forEach(Leases::end);
    while (held.get() > 0 && System.nanoTime() - begun < mostNanos) {
      LockSupport.parkNanos(200_000);
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }
}
