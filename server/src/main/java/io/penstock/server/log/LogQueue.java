package io.penstock.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Passes log events to another appender on a dedicated thread. Thread-safe.
 *
 * <p>Callers never wait: if the reader of the log is too slow, events are dropped, counted, and
 * reported in the log when there is room again. Logback's {@code AsyncAppender} can be configured
 * not to block, but does not count dropped events.
 */
final class LogQueue extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private static final long POLL_MILLIS = 200;

  private final Appender<ILoggingEvent> destination;
  private final long flushMillis;
  private final BlockingQueue<ILoggingEvent> queue;
  private final LongAdder dropped;
  private final Consumer<Throwable> onThrowable;
  private final Thread writer = new Thread(this::write, "penstock-log");
  private long reported;
  private volatile boolean stopping;

  /**
   * @param capacity the max number of queued events
   * @param flushMillis the max time that {@link #stop} waits for queued events to be written
   * @param dropped counts dropped events
   * @param onThrowable receives every logged throwable, on the thread that logs it
   */
  LogQueue(
      Appender<ILoggingEvent> destination,
      int capacity,
      long flushMillis,
      LongAdder dropped,
      Consumer<Throwable> onThrowable) {
    this.destination = destination;
    this.flushMillis = flushMillis;
    this.queue = new ArrayBlockingQueue<>(capacity);
    this.dropped = dropped;
    this.onThrowable = onThrowable;
    this.reported = dropped.sum();
    writer.setDaemon(true);
  }

  @Override
  public void start() {
    super.start();
    writer.start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getThrowableProxy() instanceof ThrowableProxy proxy) {
      onThrowable.accept(proxy.getThrowable());
    }
    // Captures the state of the calling thread, such as its name.
    event.prepareForDeferredProcessing();
    if (!queue.offer(event)) {
      dropped.increment();
    }
  }

  private void write() {
    try {
      while (!stopping || !queue.isEmpty()) {
        ILoggingEvent event = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (event != null) {
          destination.doAppend(event);
          reportDropped();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Reports dropped events once the queue is half empty; doing so earlier would add to the
   * overload.
   */
  private void reportDropped() {
    long sum = dropped.sum();
    if (sum != reported && queue.size() <= queue.remainingCapacity()) {
      Logger logger = ((LoggerContext) getContext()).getLogger(LogQueue.class);
      destination.doAppend(
          new LoggingEvent(
              LogQueue.class.getName(),
              logger,
              Level.WARN,
              "{} log lines were dropped because the reader of the log was too slow",
              null,
              new Object[] {sum - reported}));
      reported = sum;
    }
  }

  /** Writes the queued events, for up to {@code flushMillis}. */
  @Override
  public void stop() {
    if (!isStarted()) {
      return;
    }
    super.stop();
    stopping = true;
    try {
      writer.join(flushMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!writer.isAlive()) {
      destination.stop();
    }
  }
}
