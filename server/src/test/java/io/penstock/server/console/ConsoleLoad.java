package io.penstock.server.console;

import io.penstock.server.RunningServer;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Sends requests of ordinary and hostile clients to a server until it is closed. */
final class ConsoleLoad implements AutoCloseable {
  static final String SCRIPT = "<script>alert(1)</script>";

  /** Reverses the direction of the text after it. */
  static final String REVERSED = "\u202Egnp.exe";

  private static final long PERIOD_MILLIS = 100;

  private final RunningServer server;
  private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong allowed = new AtomicLong();
  private final AtomicLong denied = new AtomicLong();
  private volatile @Nullable RuntimeException failure;

  ConsoleLoad(RunningServer server) {
    this.server = server;
    var unused =
        executor.scheduleWithFixedDelay(this::send, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void send() {
    try {
      count(ask("/search", "alice", "203.0.113.7"));
      ask("/search", SCRIPT, "198.51.100.23");
      for (int i = 0; i < 3; i++) {
        ask("/login", "bob", "203.0.113.9");
        ask("/evil", "<img src=x onerror=alert(2)>", "2001:db8::1");
        ask("/evil", REVERSED, "2001:db8::1");
      }
    } catch (RuntimeException e) {
      failure = e;
      throw e;
    }
  }

  private String ask(String path, String user, String address) {
    return server
        .check(
            """
            {"method":"GET","path":"%s","ip":"%s","attributes":{"user_id":"%s"},
             "headers":{"x-note":"<svg onload=alert(3)>"}}
            """
                .formatted(path, address, user))
        .body();
  }

  private void count(String answer) {
    (answer.startsWith("{\"allowed\":true") ? allowed : denied).incrementAndGet();
  }

  /** Returns how many requests of user alice to /search were allowed so far. */
  long allowed() {
    check();
    return allowed.get();
  }

  /** Returns how many requests of user alice to /search were denied so far. */
  long denied() {
    check();
    return denied.get();
  }

  private void check() {
    RuntimeException failed = failure;
    if (failed != null) {
      throw new IllegalStateException("a request of the load failed", failed);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
