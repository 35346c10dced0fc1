package io.penstock.server.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.Map;

/** Writes informational (1xx) responses to clients; Vert.x only supports 100 and 103. */
public final class InterimResponses {
  private InterimResponses() {}

  /**
   * Writes an informational response, on the event loop of the request. The head of the final
   * response must not have been written, and the client must use HTTP/1.1 or later.
   */
  public static void write(HttpServerRequest request, int status, MultiMap headers) {
    if (request.version() == io.vertx.core.http.HttpVersion.HTTP_2) {
      writeFrame(request, status, headers);
      return;
    }
    HttpHeaders fields = DefaultHttpHeadersFactory.headersFactory().newHeaders();
    for (Map.Entry<String, String> header : headers) {
      fields.add(header.getKey(), header.getValue());
    }
    // Queue it behind earlier responses that Vert.x has not written yet.
    VertxInternals.write(
        request.connection(),
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(status),
            Unpooled.EMPTY_BUFFER,
            fields,
            EmptyHttpHeaders.INSTANCE));
  }

  private static void writeFrame(HttpServerRequest request, int status, MultiMap headers) {
    Http2Headers fields =
        new DefaultHttp2Headers().status(HttpResponseStatus.valueOf(status).codeAsText());
    for (Map.Entry<String, String> header : headers) {
      fields.add(header.getKey().toLowerCase(Locale.ROOT), header.getValue());
    }
    ChannelHandlerContext context = VertxInternals.ofClient(request.connection());
    var unused =
        ((Http2ConnectionHandler) context.handler())
            .encoder()
            .writeHeaders(context, request.streamId(), fields, 0, false, context.newPromise());
    context.flush();
  }
}
