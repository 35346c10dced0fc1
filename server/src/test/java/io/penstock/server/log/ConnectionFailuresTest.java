package io.penstock.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.spi.FilterReply;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.vertx.core.http.HttpClosedException;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

final class ConnectionFailuresTest {
  private static final String PROMISE = "io.netty.util.concurrent.DefaultPromise";

  private final ConnectionFailures filter = new ConnectionFailures();

  @Test
  void decide_errorsThatPeersCause_areDropped() {
    assertThat(filter.decide(event(PROMISE, new IOException("reset")))).isEqualTo(FilterReply.DENY);
    assertThat(filter.decide(event(PROMISE, new HttpClosedException("closed"))))
        .isEqualTo(FilterReply.DENY);
  }

  @Test
  void isCausedByPeer_defectWrappedByACodec_isNot() {
    Throwable defect = new NullPointerException();
    assertThat(ConnectionFailures.isCausedByPeer(new DecoderException("invalid chunk"))).isTrue();
    assertThat(ConnectionFailures.isCausedByPeer(new DecoderException(new SSLException("alert"))))
        .isTrue();
    assertThat(ConnectionFailures.isCausedByPeer(new DecoderException(defect))).isFalse();
    assertThat(
            ConnectionFailures.isCausedByPeer(
                Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "frame")))
        .isTrue();
    assertThat(
            ConnectionFailures.isCausedByPeer(
                Http2Exception.connectionError(Http2Error.INTERNAL_ERROR, defect, "frame")))
        .isFalse();
  }

  /**
   * Netty uses these loggers when clients reset connections with several requests, tunnels, or
   * streams with trailers.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.netty.bootstrap.ServerBootstrap",
        "io.netty.channel.AbstractChannelHandlerContext",
        "io.netty.channel.DefaultChannelPipeline",
        "io.netty.handler.codec.http2.DefaultHttp2Connection",
        "io.netty.util.concurrent.AbstractEventExecutor",
        "io.vertx.core.http.impl.HttpClientResponseImpl"
      })
  void decide_errorsNettyLogsForPeers_areDropped(String logger) {
    assertThat(filter.decide(event(logger, new IOException("reset")))).isEqualTo(FilterReply.DENY);
    assertThat(filter.decide(event(logger, new NullPointerException())))
        .isEqualTo(FilterReply.DENY);
  }

  /** Origins that send no HTTP/2 cause such lines for each connection. */
  @Test
  void decide_messagesWithoutErrors_areReportedInOneLine() {
    Logger logger = (Logger) LoggerFactory.getLogger(ConnectionFailures.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      for (int i = 0; i < 3; i++) {
        assertThat(filter.decide(message("Connection evicted"))).isEqualTo(FilterReply.DENY);
        assertThat(filter.decide(message("First received frame was not SETTINGS")))
            .isEqualTo(FilterReply.DENY);
      }
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list)
        .singleElement()
        .satisfies(
            line ->
                assertThat(line.getFormattedMessage())
                    .contains("First received frame was not SETTINGS"));
  }

  @Test
  void decide_anyOtherError_isReportedInOneLineWithoutItsStackTrace() {
    Logger logger = (Logger) LoggerFactory.getLogger(ConnectionFailures.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      NullPointerException bug = new NullPointerException("something of a request");
      for (int i = 0; i < 3; i++) {
        assertThat(filter.decide(event(PROMISE, bug))).isEqualTo(FilterReply.DENY);
      }
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list)
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.getFormattedMessage())
                  .contains("java.lang.NullPointerException at", getClass().getName())
                  .doesNotContain("something of a request");
              assertThat(line.getThrowableProxy()).isNull();
            });
  }

  @Test
  void decide_otherLoggersAndOutOfMemory_pass() {
    assertThat(filter.decide(event("io.penstock.server", new IOException())))
        .isEqualTo(FilterReply.NEUTRAL);
    assertThat(filter.decide(event(PROMISE, new OutOfMemoryError())))
        .isEqualTo(FilterReply.NEUTRAL);
  }

  private static LoggingEvent message(String text) {
    Logger source =
        ((LoggerContext) LoggerFactory.getILoggerFactory())
            .getLogger("io.vertx.core.net.impl.ConnectionBase");
    return new LoggingEvent(
        ConnectionFailuresTest.class.getName(), source, Level.WARN, text, null, null);
  }

  private static LoggingEvent event(String logger, Throwable failure) {
    Logger source = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(logger);
    return new LoggingEvent(
        ConnectionFailuresTest.class.getName(), source, Level.WARN, "failed", failure, null);
  }
}
