package io.penstock.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Passes log events to another appender on a dedicated thread. Thread-safe.
 *
 * <p>Callers never wait: if the reader of the log is too slow, events are dropped, counted, and
 * reported in the log when there is room again.
 */
final class LogQueue extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private final Appender<ILoggingEvent> destination;
  private final long flushMillis;
  private final LongAdder dropped;
  private final Consumer<Throwable> onThrowable;
  private final BackgroundWriter<ILoggingEvent> writer;
  private long reported;

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
    this.writer = new BackgroundWriter<>("penstock-log", capacity, dropped, this::write);
    this.dropped = dropped;
    this.onThrowable = onThrowable;
    this.reported = dropped.sum();
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
    writer.offer(event);
  }

  private void write(List<ILoggingEvent> events) {
    events.forEach(destination::doAppend);
    reportDropped();
  }

  /**
   * Reports dropped events once the queue is half empty; doing so earlier would add to the
   * overload.
   */
  private void reportDropped() {
    long sum = dropped.sum();
    if (sum != reported && writer.isHalfEmpty()) {
      Logger logger = ((LoggerContext) getContext()).getLogger(LogQueue.class);
      destination.doAppend(
          new LoggingEvent(
              LogQueue.class.getName(),
              logger,
              Level.WARN,
              "{} log lines were dropped because the reader of the log was too slow, or because they"
                  + " could not be written",
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
    if (writer.stop(flushMillis)) {
      destination.stop();
    }
  }
}
