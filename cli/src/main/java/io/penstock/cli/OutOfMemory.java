package io.penstock.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.Thread.UncaughtExceptionHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Exits the process when the JVM runs out of memory, like {@code -XX:+ExitOnOutOfMemoryError}, so
 * that its supervisor can restart it. A jar can't set JVM options, and many users start it with
 * {@code java -jar}.
 *
 * <p>Libraries catch and log the errors of their threads. Penstock therefore checks uncaught
 * exceptions and logged ones, and a thread tries to allocate memory once a second.
 */
final class OutOfMemory {
  /** The exit status of {@code -XX:+ExitOnOutOfMemoryError}. */
  static final int STATUS = 3;

  private static final long PROBE_INTERVAL_MILLIS = 1_000;

  /** Small enough that the allocation fails only if the heap is full. */
  private static final int PROBE_BYTES = 64 << 10;

  private static final int MAX_CAUSES = 10;

  /** Keeps the compiler from eliminating the allocation. */
  @SuppressWarnings("unused")
  private static volatile byte @Nullable [] probe;

  private static final byte[] MESSAGE =
      "penstock: out of memory; the process exits\n".getBytes(US_ASCII);
  private static final long REPORT_TIMEOUT_MILLIS = 500;
  private static final CountDownLatch HAPPENED = new CountDownLatch(1);
  private static final CountDownLatch REPORTED = new CountDownLatch(1);

  private OutOfMemory() {}

  /** Starts to watch the process. */
  static void watch() {
    UncaughtExceptionHandler previous = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> {
          exitIfOutOfMemory(thrown);
          if (previous != null) {
            previous.uncaughtException(thread, thrown);
          } else {
            thrown.printStackTrace();
          }
        });
    start(OutOfMemory::probe, "penstock-memory-probe");
    start(OutOfMemory::report, "penstock-memory-report");
  }

  private static void start(Runnable action, String name) {
    Thread thread = new Thread(action, name);
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Writes the message. Runs on a thread that is started in advance: a blocked standard error must
   * not keep the process alive.
   */
  private static void report() {
    // Not closed, because that would close standard error.
    @SuppressWarnings("resource")
    FileOutputStream standardError = new FileOutputStream(FileDescriptor.err);
    try {
      HAPPENED.await();
      standardError.write(MESSAGE);
    } catch (IOException e) {
      // The exit status reports the same.
      REPORTED.countDown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    REPORTED.countDown();
  }

  private static void exit() {
    try {
      HAPPENED.countDown();
      boolean unused = REPORTED.await(REPORT_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Runtime.getRuntime().halt(STATUS);
    }
  }

  private static void probe() {
    try {
      while (true) {
        probe = new byte[PROBE_BYTES];
        probe = null;
        TimeUnit.MILLISECONDS.sleep(PROBE_INTERVAL_MILLIS);
      }
    } catch (OutOfMemoryError e) {
      exit();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Exits the process if {@link #isOutOfMemory} holds for the exception. */
  static void exitIfOutOfMemory(Throwable thrown) {
    if (isOutOfMemory(thrown)) {
      exit();
    }
  }

  /**
   * Returns whether the exception or one of its causes reports an exhausted heap. Direct buffers
   * don't count: they have their own limit, which many clients can reach for a moment, and which
   * then costs a connection, not the process.
   */
  static boolean isOutOfMemory(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause.getClass() == OutOfMemoryError.class) {
        return !String.valueOf(cause.getMessage()).contains("direct buffer memory");
      }
      cause = cause.getCause();
    }
    return false;
  }
}
