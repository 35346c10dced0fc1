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
 * Ends the process when the JVM is out of memory, as {@code -XX:+ExitOnOutOfMemoryError} does: what
 * goes on after that serves nobody, and whatever supervises the process can start another. A jar
 * can't set options of the JVM, and {@code java -jar} is how many start one.
 *
 * <p>Libraries catch what is thrown on their threads, and log it. So besides errors that end a
 * thread, those that are logged count, and a thread looks once a second whether there is memory at
 * all.
 */
final class OutOfMemory {
  /** The status of {@code -XX:+ExitOnOutOfMemoryError}. */
  static final int STATUS = 3;

  private static final long PERIOD_MILLIS = 1_000;

  /** Small enough to fit anywhere: it fails only if the heap is full. */
  private static final int PROBE_BYTES = 64 << 10;

  private static final int MAX_CAUSES = 10;

  /** Keeps the compiler from leaving the allocation out. */
  @SuppressWarnings("unused")
  private static volatile byte @Nullable [] probe;

  private static final byte[] MESSAGE =
      "penstock: out of memory; the process exits\n".getBytes(US_ASCII);
  private static final long REPORT_MILLIS = 500;
  private static final CountDownLatch HAPPENED = new CountDownLatch(1);
  private static final CountDownLatch REPORTED = new CountDownLatch(1);

  private OutOfMemory() {}

  /** Watches the whole process from now on. */
  static void watch() {
    UncaughtExceptionHandler others = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> {
          exitIfOutOfMemory(thrown);
          if (others != null) {
            others.uncaughtException(thread, thrown);
          } else {
            thrown.printStackTrace();
          }
        });
    start(OutOfMemory::look, "penstock-memory-probe");
    start(OutOfMemory::report, "penstock-memory-report");
  }

  private static void start(Runnable action, String name) {
    Thread thread = new Thread(action, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** In a thread that is there already, so that a stuck reader doesn't keep the process alive. */
  private static void report() {
    // It stays open: closing it would close standard error.
    @SuppressWarnings("resource")
    FileOutputStream standardError = new FileOutputStream(FileDescriptor.err);
    try {
      HAPPENED.await();
      standardError.write(MESSAGE);
    } catch (IOException e) {
      // Nobody reads it, and the status says the same.
      REPORTED.countDown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    REPORTED.countDown();
  }

  private static void exit() {
    try {
      HAPPENED.countDown();
      boolean unused = REPORTED.await(REPORT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Runtime.getRuntime().halt(STATUS);
    }
  }

  private static void look() {
    try {
      while (true) {
        probe = new byte[PROBE_BYTES];
        probe = null;
        TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS);
      }
    } catch (OutOfMemoryError e) {
      exit();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the process at once if the JVM threw this, or its cause, for want of memory. */
  static void exitIfOutOfMemory(Throwable thrown) {
    if (isOutOfMemory(thrown)) {
      exit();
    }
  }

  /**
   * Whether the JVM threw this for want of memory. Buffers outside of the heap have a bound of
   * their own, which a crowd of clients can reach for a moment: that ends a connection, not the
   * process.
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
