package io.penstock.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;

/** Awaitility with a timeout for busy machines. Tests of other modules use it as well. */
public final class Waiting {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(5);

  private Waiting() {}

  /** Waits for a condition, which the calling thread evaluates until it holds. */
  public static ConditionFactory await(String description) {
    return Awaitility.await(description)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(POLL_INTERVAL)
        .atMost(TIMEOUT);
  }

  /** Waits at most {@code seconds} for a condition that need not come true. */
  public static boolean holdsWithin(long seconds, Callable<Boolean> condition) {
    try {
      await().atMost(Duration.ofSeconds(seconds)).until(condition);
      return true;
    } catch (ConditionTimeoutException timeout) {
      return false;
    }
  }

  /** Waits for a condition that explains itself. */
  public static ConditionFactory await() {
    return await("the condition");
  }
}
