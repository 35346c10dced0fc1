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

/**
 * Where the log goes, and how it looks: lines on standard error, written by a thread of their own.
 */
public final class Logs {
  private static final String PATTERN =
      "%d{\"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\", UTC} %-5level %msg%n%ex{short}";
  private static final String OURS = "io.penstock";
  private static final String DECISIONS = "penstock.decisions";
  private static final int MAX_QUEUED = 8_192;
  private static final long FLUSH_MILLIS = 1_000;

  private static final LongAdder DROPPED = new LongAdder();

  private Logs() {}

  /**
   * Until the log is set up, only warnings are logged, to standard error. Logback itself would log
   * all that libraries say while settings are read, to standard output.
   */
  public static void quiet() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(standardError(false, context));
    root.setLevel(Level.WARN);
  }

  /** The same as below, without a look at what is thrown. */
  public static void configure(boolean json, String level) {
    configure(json, level, thrown -> {});
  }

  /**
   * Sets the log up for the whole process.
   *
   * @param level for what is ours; libraries only warn
   * @param onThrowable sees every throwable that is logged, on the thread that logs it
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
    context.getLogger(OURS).setLevel(Level.toLevel(level));
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

  /** How many lines were lost because whatever reads the log did not keep up. */
  public static long dropped() {
    return DROPPED.sum();
  }

  /** Writes what is queued, within a second; nothing is logged afterwards. */
  public static void close() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).detachAndStopAllAppenders();
  }

  /** Past {@code System.err}, whose lock a stuck reader would keep; it stays open. */
  private static final class StandardError extends FileOutputStream {
    StandardError() {
      super(FileDescriptor.err);
    }

    /**
     * Fails for nobody: the appender would never write again, though a disk may have room later.
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
