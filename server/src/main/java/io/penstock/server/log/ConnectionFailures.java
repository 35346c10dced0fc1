package io.penstock.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.http2.Http2Exception;
import io.vertx.core.VertxException;
import java.io.IOException;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Filters what Vert.x and Netty log about single connections, which is a line or a stack trace
 * each. Errors that clients and origins cause by disconnecting or violating the protocol are
 * dropped. All others are reported in one line, at most once a minute. Thread-safe.
 */
public final class ConnectionFailures extends Filter<ILoggingEvent> {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(ConnectionFailures.class));

  private static final RepeatedWarning MESSAGES =
      new RepeatedWarning(LoggerFactory.getLogger(ConnectionFailures.class));

  /** Packages whose classes handle single connections. */
  private static final List<String> PACKAGES =
      List.of(
          "io.vertx.core.net.",
          "io.vertx.core.http.",
          "io.netty.bootstrap.",
          "io.netty.channel.",
          "io.netty.handler.",
          "io.netty.util.concurrent.");

  /** Vert.x logs it for each connection that fails before its first request. */
  private static final String EVICTED = "Connection evicted";

  private static final int MAX_LENGTH = 200;

  @Override
  public FilterReply decide(ILoggingEvent event) {
    String logger = event.getLoggerName();
    if (PACKAGES.stream().noneMatch(logger::startsWith)) {
      return FilterReply.NEUTRAL;
    }
    if (!(event.getThrowableProxy() instanceof ThrowableProxy proxy)) {
      String message = String.valueOf(event.getFormattedMessage());
      if (!message.equals(EVICTED)) {
        MESSAGES.warn(
            "A library reported a failed connection: "
                + message.substring(0, Math.min(MAX_LENGTH, message.length())));
      }
      return FilterReply.DENY;
    }
    if (proxy.getThrowable() instanceof OutOfMemoryError) {
      return FilterReply.NEUTRAL;
    }
    if (!isCausedByPeer(proxy.getThrowable())) {
      WARNING.warn(
          "A connection failed in a library ("
              + RepeatedWarning.originOf(proxy.getThrowable())
              + "). Log level debug shows each failure with its stack trace");
    }
    return FilterReply.DENY;
  }

  /** Returns whether the peer disconnected or sent invalid HTTP or TLS. */
  public static boolean isCausedByPeer(Throwable failure) {
    Throwable cause = failure.getCause();
    if (cause != null && isOfCodec(failure)) {
      // Netty wraps whatever a codec throws.
      return isCausedByPeer(cause);
    }
    return failure instanceof IOException
        || isOfCodec(failure)
        || failure instanceof VertxException;
  }

  private static boolean isOfCodec(Throwable failure) {
    return failure instanceof CodecException || failure instanceof Http2Exception;
  }
}
