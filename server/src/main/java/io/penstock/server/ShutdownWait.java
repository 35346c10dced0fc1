package io.penstock.server;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits until parts of the server are closed, and logs which of them are not. */
final class ShutdownWait {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownWait.class);

  /** The time to close something after its own timeout. */
  private static final long GRACE_MILLIS = 500;

  private ShutdownWait() {}

  static void await(String what, Future<Void> closing, Duration timeout) {
    long millis = timeout.toMillis() + GRACE_MILLIS;
    try {
      closing.await(millis, TimeUnit.MILLISECONDS);
    } catch (Exception e) {
      LOG.warn("{}; the shutdown continues without waiting", problem(what, millis, e));
    }
  }

  /** Returns what went wrong; a timeout has no message of its own. */
  static String problem(String what, long millis, Exception failure) {
    return failure instanceof TimeoutException
        ? "The " + what + " did not close within " + millis + " ms"
        : "The " + what + " could not be closed: " + failure;
  }
}
