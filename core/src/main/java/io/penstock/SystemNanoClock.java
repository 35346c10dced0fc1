package io.penstock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** {@link System#nanoTime()}, with the JDK's timer thread for scheduled tasks. */
final class SystemNanoClock implements NanoClock {
  static final SystemNanoClock INSTANCE = new SystemNanoClock();

  private SystemNanoClock() {}

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.sleep(left);
    }
  }

  @Override
  public void schedule(long nanos, Runnable task) {
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(task);
  }
}
