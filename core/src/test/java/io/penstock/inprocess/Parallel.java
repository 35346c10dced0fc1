package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;

/** Runs a test body on several threads that start together, and waits for all of them. */
final class Parallel {
  private Parallel() {}

  interface Body {
    void run(int thread) throws Exception;
  }

  static void run(int count, Body body) throws Exception {
    CountDownLatch start = new CountDownLatch(1);
    Thread[] threads = new Thread[count];
    Throwable[] failures = new Throwable[count];
    for (int t = 0; t < count; t++) {
      int thread = t;
      threads[t] =
          new Thread(
              () -> {
                try {
                  start.await();
                  body.run(thread);
                } catch (Throwable failure) {
                  failures[thread] = failure;
                }
              });
      threads[t].start();
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).containsOnlyNulls();
  }
}
