package io.penstock.server.vertx;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaders;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.Http1xOrH2CHandler;
import io.vertx.core.http.impl.Http1xServerConnection;
import io.vertx.core.http.impl.HttpClientConnectionInternal;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.impl.VertxConnection;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * Access to internals of Vert.x that its API does not offer. No other class uses internal types or
 * handler names of Vert.x. {@code VertxInternalsTest} and {@code OriginConnectionTest} check every
 * assumption, so that an upgrade that breaks one fails with a sentence that names it.
 */
public final class VertxInternals {
  /** The name of the HTTP/1 request decoder in the pipeline of a client's connection. */
  public static final String REQUEST_DECODER = "httpDecoder";

  /** The name of the HTTP/1 response encoder in the pipeline of a client's connection. */
  public static final String RESPONSE_ENCODER = "httpEncoder";

  /** The name of the handler for upgrades to HTTP/2 in the pipeline of a client's connection. */
  public static final String UPGRADE_HANDLER = "h2c";

  /** The name of the HTTP/1 codec in the pipeline of a connection to an origin. */
  public static final String ORIGIN_CODEC = "codec";

  private VertxInternals() {}

  /** The HTTP/1 request decoder of Vert.x. Confined to one connection. */
  public static class RequestDecoder extends VertxHttpRequestDecoder {
    protected RequestDecoder(HttpServerOptions options) {
      super(options);
    }
  }

  /**
   * Returns an executor that runs tasks on the event loop of the current context: now if its caller
   * is in the same context, otherwise later. Exceptions go to the exception handler of the context,
   * never to the caller.
   */
  public static Executor eventLoop() {
    ContextInternal context = (ContextInternal) Objects.requireNonNull(Vertx.currentContext());
    return task -> {
      if (Vertx.currentContext() == context) {
        context.emit(unused -> task.run());
      } else {
        context.runOnContext(unused -> task.run());
      }
    };
  }

  /**
   * Returns the context of the last handler of a client's connection: an {@code
   * Http2ConnectionHandler} on HTTP/2.
   */
  public static ChannelHandlerContext ofClient(HttpConnection connection) {
    if (connection instanceof HttpServerConnection server) {
      return server.channelHandlerContext();
    }
    throw changed("a client's connection is a " + connection.getClass().getName());
  }

  /** Returns the context of the last handler of a connection to an origin. */
  public static ChannelHandlerContext ofOrigin(HttpConnection connection) {
    if (connection instanceof HttpClientConnectionInternal client) {
      return client.channelHandlerContext();
    }
    throw changed("a connection to an origin is a " + connection.getClass().getName());
  }

  /** Returns whether a connection to an origin has requests in flight. */
  public static boolean isBusy(HttpConnection origin) {
    return origin instanceof HttpClientConnectionInternal client && client.activeStreams() > 0;
  }

  /**
   * Returns whether Vert.x still detects the protocol of a connection without TLS, from the first
   * bytes that it reads.
   */
  public static boolean detectsProtocol(ChannelPipeline pipeline) {
    return pipeline.get(Http1xOrH2CHandler.class) != null;
  }

  /** Encodes the headers of a response that Vert.x has created; returns false for other types. */
  public static boolean encode(HttpHeaders headers, ByteBuf bytes) {
    if (headers instanceof HeadersMultiMap vertx) {
      vertx.encode(bytes, false);
      return true;
    }
    return false;
  }

  /** Writes a message to an HTTP/1 client, after the responses that Vert.x has queued. */
  public static void write(HttpConnection connection, Object message) {
    if (!(connection instanceof VertxConnection client)) {
      throw changed("a client's connection is a " + connection.getClass().getName());
    }
    var unused = client.writeToChannel(message);
  }

  /**
   * Resets a client's TCP connection, without a TLS close_notify, so that the client sees that a
   * response which ends with the connection is incomplete. Parts that have not been read are lost.
   */
  public static void reset(HttpConnection connection) {
    ChannelHandlerContext first = ofClient(connection).pipeline().firstContext();
    boolean unusedOption = first.channel().config().setOption(ChannelOption.SO_LINGER, 0);
    // Closing from the first handler bypasses all others, which might delay it or write before it.
    var unusedClose = first.close();
  }

  /**
   * Reports a failure to the request whose response an HTTP/1 client gets next, and leaves the
   * connection open. That request must have been passed to its handler.
   */
  public static void fail(HttpConnection connection, Throwable failure) {
    if (!(connection instanceof Http1xServerConnection client)) {
      throw changed("a client's connection is a " + connection.getClass().getName());
    }
    client.handleException(failure);
  }

  /** Returns an exception that reports an assumption that no longer holds. */
  public static IllegalStateException changed(String detail) {
    return new IllegalStateException(
        "The internals of this version of Vert.x have changed: " + detail);
  }
}
