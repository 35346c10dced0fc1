package io.penstock.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Counts all events of an observer. Thread-safe. */
final class Counts implements RedisObserver {
  final AtomicLong calls = new AtomicLong();
  final AtomicLong requests = new AtomicLong();
  final AtomicLong cachedDenials = new AtomicLong();
  final AtomicLong refunded = new AtomicLong();
  final AtomicLong repaired = new AtomicLong();
  final AtomicLong leased = new AtomicLong();
  final AtomicLong returned = new AtomicLong();
  final AtomicLong expired = new AtomicLong();
  final List<Boolean> switches = new CopyOnWriteArrayList<>();
  final List<Throwable> failures = new CopyOnWriteArrayList<>();
  final List<Boolean> changes = new CopyOnWriteArrayList<>();
  final List<RedisOutage> outages = new CopyOnWriteArrayList<>();
  final List<String> evictions = new CopyOnWriteArrayList<>();
  final List<String> registrationErrors = new CopyOnWriteArrayList<>();
  private final Map<String, AtomicLong> degraded = new ConcurrentHashMap<>();
  private final Map<Degradation, AtomicLong> reasons = new ConcurrentHashMap<>();

  long degraded(String name) {
    return count(degraded, name).get();
  }

  long degraded(Degradation why) {
    return count(reasons, why).get();
  }

  /** Requests that were sent but not answered in time, whether Redis or this machine was slow. */
  long timedOut() {
    return degraded(Degradation.AMBIGUOUS) + degraded(Degradation.STARVED);
  }

  private static <T> AtomicLong count(Map<T, AtomicLong> counts, T of) {
    return counts.computeIfAbsent(of, key -> new AtomicLong());
  }

  @Override
  public void called(int decisions, long nanos) {
    calls.incrementAndGet();
    requests.addAndGet(decisions);
  }

  @Override
  public void failed(int decisions, Throwable cause) {
    failures.add(cause);
  }

  @Override
  public void degraded(String name, Degradation why) {
    count(degraded, name).incrementAndGet();
    count(reasons, why).incrementAndGet();
  }

  @Override
  public void deniedFromCache(String name) {
    cachedDenials.incrementAndGet();
  }

  @Override
  public void refunded(String name) {
    refunded.incrementAndGet();
  }

  @Override
  public void repaired(long values) {
    repaired.addAndGet(values);
  }

  @Override
  public void leased(String name, long thousandths) {
    leased.addAndGet(thousandths);
  }

  @Override
  public void leaseReturned(String name, long thousandths) {
    returned.addAndGet(thousandths);
  }

  @Override
  public void leaseExpired(String name, long thousandths) {
    expired.addAndGet(thousandths);
  }

  @Override
  public void hot(String name, boolean hot) {
    switches.add(hot);
  }

  @Override
  public void available(boolean available) {
    changes.add(available);
  }

  @Override
  public void unavailable(RedisOutage outage) {
    outages.add(outage);
  }

  @Override
  public void evicting(String policy) {
    evictions.add(policy);
  }

  @Override
  public void registrationRejected(String error, int nodes) {
    registrationErrors.add(error);
  }
}
