package io.penstock.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.netty.handler.codec.CodecException;
import io.netty.handler.codec.http2.Http2Exception;
import io.vertx.core.VertxException;
import java.io.IOException;
import java.util.Set;
import org.slf4j.LoggerFactory;

/**
 * Filters what Vert.x and Netty log about single connections, which is one stack trace each. Errors
 * that clients and origins cause by disconnecting or violating the protocol are dropped. All others
 * are reported in one line, at most once a minute. Thread-safe.
 */
public final class ConnectionFailures extends Filter<ILoggingEvent> {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(ConnectionFailures.class));

  private static final Set<String> LOGGERS =
      Set.of(
          "io.vertx.core.net.impl.ConnectionBase",
          "io.vertx.core.http.impl.HttpClientRequestImpl",
          "io.netty.channel.AbstractChannelHandlerContext",
          "io.netty.channel.DefaultChannelPipeline",
          "io.netty.handler.codec.http2.DefaultHttp2Connection",
          "io.netty.util.concurrent.DefaultPromise");

  @Override
  public FilterReply decide(ILoggingEvent event) {
    if (!LOGGERS.contains(event.getLoggerName())
        || !(event.getThrowableProxy() instanceof ThrowableProxy proxy)
        || proxy.getThrowable() instanceof OutOfMemoryError) {
      return FilterReply.NEUTRAL;
    }
    if (!isCausedByPeer(proxy.getThrowable())) {
      StackTraceElement[] trace = proxy.getThrowable().getStackTrace();
      WARNING.warn(
          "A connection failed in a library ("
              + proxy.getClassName()
              + (trace.length == 0 ? "" : " at " + trace[0])
              + "). Log level debug shows each failure with its stack trace");
    }
    return FilterReply.DENY;
  }

  /** Returns whether the peer disconnected or sent invalid HTTP or TLS. */
  private static boolean isCausedByPeer(Throwable failure) {
    return failure instanceof IOException
        || failure instanceof CodecException
        || failure instanceof Http2Exception
        || failure instanceof VertxException;
  }
}
