package io.penstock.redis;

/**
 * Isolates callers from exceptions of an observer: passes them to the thread's uncaught exception
 * handler. As thread-safe as the observer.
 */
final class GuardedObserver implements RedisObserver {
  private final RedisObserver observer;
  private volatile boolean paused;

  GuardedObserver(RedisObserver observer) {
    this.observer = observer;
  }

  /** Sets whether events of decisions are discarded, because no caller requested the decisions. */
  void pause(boolean on) {
    paused = on;
  }

  private void guardUnlessPaused(Runnable event) {
    if (!paused) {
      guard(event);
    }
  }

  private static void guard(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException failure) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    }
  }

  @Override
  public void called(int decisions, long nanos) {
    guardUnlessPaused(() -> observer.called(decisions, nanos));
  }

  @Override
  public void failed(int decisions, Throwable cause) {
    guardUnlessPaused(() -> observer.failed(decisions, cause));
  }

  @Override
  public void degraded(String name, Degradation why) {
    guardUnlessPaused(() -> observer.degraded(name, why));
  }

  @Override
  public void deniedFromCache(String name) {
    guardUnlessPaused(() -> observer.deniedFromCache(name));
  }

  @Override
  public void refunded(String name) {
    guardUnlessPaused(() -> observer.refunded(name));
  }

  @Override
  public void repaired(long values) {
    guard(() -> observer.repaired(values));
  }

  @Override
  public void evicting(String policy) {
    guard(() -> observer.evicting(policy));
  }

  @Override
  public void registrationRejected(String error, int nodes) {
    guard(() -> observer.registrationRejected(error, nodes));
  }

  @Override
  public void leased(String name, long thousandths) {
    guard(() -> observer.leased(name, thousandths));
  }

  @Override
  public void leaseReturned(String name, long thousandths) {
    guard(() -> observer.leaseReturned(name, thousandths));
  }

  @Override
  public void leaseExpired(String name, long thousandths) {
    guard(() -> observer.leaseExpired(name, thousandths));
  }

  @Override
  public void hot(String name, boolean hot) {
    guard(() -> observer.hot(name, hot));
  }

  @Override
  public void connecting(String address) {
    guard(() -> observer.connecting(address));
  }

  @Override
  public void available(boolean available) {
    guard(() -> observer.available(available));
  }

  @Override
  public void unavailable(RedisOutage outage) {
    guard(() -> observer.unavailable(outage));
  }
}
