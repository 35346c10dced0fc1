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
 * Hands log events to another appender in a thread of its own. Thread-safe.
 *
 * <p>A caller never waits: if whatever reads the log does not keep up, events are dropped, counted,
 * and reported in the log as soon as it moves again. Logback's {@code AsyncAppender} can be told
 * not to block, but does not count what it drops.
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
   * @param capacity how many events wait at most
   * @param flushMillis how long {@link #stop} waits for them to be written
   * @param dropped counts events that were lost
   * @param onThrowable sees every throwable that is logged, on the thread that logs it
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
    // What the event takes from the calling thread is taken before that goes on.
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

  /** Once the queue is half empty again: a line for each that fits would make matters worse. */
  private void reportDropped() {
    long sum = dropped.sum();
    if (sum != reported && queue.size() <= queue.remainingCapacity()) {
      Logger logger = ((LoggerContext) getContext()).getLogger(LogQueue.class);
      destination.doAppend(
          new LoggingEvent(
              LogQueue.class.getName(),
              logger,
              Level.WARN,
              "{} log lines were dropped because the reader of the log did not keep up",
              null,
              new Object[] {sum - reported}));
      reported = sum;
    }
  }

  /** Writes what is queued, unless that takes longer than the time to flush. */
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
