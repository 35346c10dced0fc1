package io.penstock.server.proxy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.server.log.ConnectionFailures;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Records the warnings and errors that are logged until it is closed. Thread-safe. */
public final class LoggedWarnings implements AutoCloseable {
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  public LoggedWarnings() {
    this(List.of());
  }

  private LoggedWarnings(List<ConnectionFailures> filters) {
    filters.forEach(logged::addFilter);
    logged.list = new CopyOnWriteArrayList<>();
    logged.start();
    root.addAppender(logged);
  }

  /** Records what is left of the messages of libraries after the filter of the server. */
  static LoggedWarnings filtered() {
    return new LoggedWarnings(List.of(new ConnectionFailures()));
  }

  public List<String> messages() {
    return logged.list.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** Returns the messages that have a stack trace. */
  public List<String> stackTraces() {
    return logged.list.stream()
        .filter(event -> event.getThrowableProxy() != null)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Override
  public void close() {
    root.detachAppender(logged);
  }
}
