package io.penstock.spring;

import java.util.concurrent.Executor;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/**
 * Determines whether the current thread may block, and which executor takes over if not.
 * Thread-safe.
 */
final class CallerThread {
  private static final boolean REACTOR =
      ClassUtils.isPresent(
          "reactor.core.scheduler.Schedulers", CallerThread.class.getClassLoader());

  private CallerThread() {}

  /**
   * Returns whether the current thread may block: all threads except the non-blocking ones of
   * Reactor.
   */
  static boolean mayBlock() {
    return !REACTOR || !Reactor.isNonBlocking();
  }

  /**
   * Returns an executor for application code, which may block itself. Only for callers that must
   * not block.
   */
  static Executor blockingExecutor() {
    return Reactor.BLOCKING_EXECUTOR;
  }

  /** Loaded only if Reactor is present. */
  private static final class Reactor {
    static final Executor BLOCKING_EXECUTOR = task -> Schedulers.boundedElastic().schedule(task);

    static boolean isNonBlocking() {
      return Schedulers.isInNonBlockingThread();
    }
  }
}
