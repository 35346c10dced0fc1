package io.penstock.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import org.slf4j.LoggerFactory;

/** Where the log goes, and how it looks: lines on standard error. */
public final class Logs {
  private static final String PATTERN =
      "%d{\"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\", UTC} %-5level %msg%n%ex{short}";
  private static final String OURS = "io.penstock";
  private static final String DECISIONS = "penstock.decisions";

  private Logs() {}

  /**
   * Sets the log up for the whole process.
   *
   * @param level for what is ours; libraries only warn
   */
  public static void configure(boolean json, String level) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setContext(context);
    console.setTarget("System.err");
    console.setEncoder(encoder(json, context));
    console.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(console);
    root.setLevel(Level.WARN);
    context.getLogger(OURS).setLevel(Level.toLevel(level));
    context.getLogger(DECISIONS).setLevel(Level.INFO);
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
