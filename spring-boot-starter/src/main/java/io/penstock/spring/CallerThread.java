package io.penstock.spring;

import java.util.concurrent.Executor;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** Whether a thread may wait, and who runs what it can't wait for. Thread-safe. */
final class CallerThread {
  private static final boolean REACTOR =
      ClassUtils.isPresent(
          "reactor.core.scheduler.Schedulers", CallerThread.class.getClassLoader());

  private CallerThread() {}

  /** Whether the current thread may wait: all may, but those that Reactor says must not. */
  static boolean mayWait() {
    return !REACTOR || !Reactor.mustNotWait();
  }

  /** For code of applications, which may wait itself; to be used where {@link #mayWait} denies. */
  static Executor substitute() {
    return Reactor.MAY_WAIT;
  }

  /** Loaded only where there is Reactor. */
  private static final class Reactor {
    static final Executor MAY_WAIT = task -> Schedulers.boundedElastic().schedule(task);

    static boolean mustNotWait() {
      return Schedulers.isInNonBlockingThread();
    }
  }
}
