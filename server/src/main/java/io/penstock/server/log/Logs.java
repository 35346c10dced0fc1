package io.penstock.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** Configures the log: lines on standard error, written by a dedicated thread. */
public final class Logs {
  private static final String PATTERN =
      "%d{\"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\", UTC} %-5level %msg%n%ex{short}";
  private static final String OWN_LOGGERS = "io.penstock";
  private static final String DECISIONS = "penstock.decisions";
  private static final int MAX_QUEUED = 8_192;
  private static final long FLUSH_MILLIS = 1_000;

  private static final LongAdder DROPPED = new LongAdder();

  private Logs() {}

  /**
   * Logs only warnings, to standard error, until the log is configured. Otherwise Logback would
   * print everything that libraries log while settings are read to standard output.
   */
  public static void quiet() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(standardError(false, context));
    root.setLevel(Level.WARN);
  }

  /** Configures the log without a callback for throwables. */
  public static void configure(boolean json, String level) {
    configure(json, level, thrown -> {});
  }

  /**
   * Configures the log for the whole process.
   *
   * @param level the level of Penstock's own loggers; libraries log warnings only
   * @param onThrowable receives every logged throwable, on the thread that logs it
   */
  public static void configure(boolean json, String level, Consumer<Throwable> onThrowable) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    LogQueue queue =
        new LogQueue(standardError(json, context), MAX_QUEUED, FLUSH_MILLIS, DROPPED, onThrowable);
    queue.setContext(context);
    if (!level.equals("debug")) {
      queue.addFilter(new ConnectionFailures());
    }
    queue.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(queue);
    root.setLevel(Level.WARN);
    context.getLogger(OWN_LOGGERS).setLevel(Level.toLevel(level));
    context.getLogger(DECISIONS).setLevel(Level.INFO);
  }

  private static OutputStreamAppender<ILoggingEvent> standardError(
      boolean json, LoggerContext context) {
    OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
    appender.setContext(context);
    appender.setEncoder(encoder(json, context));
    appender.setOutputStream(new StandardError());
    appender.start();
    return appender;
  }

  /**
   * Returns the number of lines that were dropped because the reader of the log was too slow, or
   * because they could not be written.
   */
  public static long dropped() {
    return DROPPED.sum();
  }

  /** Writes queued lines for up to a second; nothing is logged afterwards. */
  public static void close() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).detachAndStopAllAppenders();
  }

  /**
   * Bypasses {@code System.err}, whose lock would be held while the reader is stuck. It is never
   * closed.
   */
  private static final class StandardError extends FileOutputStream {
    StandardError() {
      super(FileDescriptor.err);
    }

    /**
     * Counts failures instead of throwing: after an exception, the appender would never write
     * again, although a full disk may have room later.
     */
    @Override
    public void write(byte[] line) {
      try {
        super.write(line);
      } catch (IOException e) {
        DROPPED.increment();
      }
    }

    @Override
    public void close() {}
  }

  private static Encoder<ILoggingEvent> encoder(boolean json, LoggerContext context) {
    EncoderBase<ILoggingEvent> encoder;
    if (json) {
      JsonEncoder structured = new JsonEncoder();
      structured.setWithSequenceNumber(false);
      structured.setWithNanoseconds(false);
      structured.setWithContext(false);
      structured.setWithArguments(false);
      structured.setWithMessage(false);
      structured.setWithFormattedMessage(true);
      encoder = structured;
    } else {
      PatternLayoutEncoder text = new PatternLayoutEncoder();
      text.setPattern(PATTERN);
      encoder = text;
    }
    encoder.setContext(context);
    encoder.start();
    return encoder;
  }
}
