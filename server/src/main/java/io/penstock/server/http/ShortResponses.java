package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.penstock.server.vertx.VertxInternals;
import org.jspecify.annotations.Nullable;

/**
 * Encodes whole responses with short bodies into a single buffer. The encoder of Netty does so only
 * for bodies of up to 128 bytes. For others, it creates a second buffer and further promises, which
 * cost more than the copy.
 */
final class ShortResponses {
  private static final int MIN_BODY_BYTES = 129;
  private static final int MAX_BODY_BYTES = 4 << 10;

  /** The expected size of a head; the buffer grows if necessary. */
  private static final int HEAD_BYTES = 512;

  private static final int LINE_END = '\r' << Byte.SIZE | '\n';

  private ShortResponses() {}

  /**
   * Writes the response to a request past the encoder, if it is a short one. Otherwise returns
   * false, and the encoder must write it.
   *
   * @param request null if it is unknown
   */
  static boolean write(
      ChannelHandlerContext guard,
      @Nullable HttpRequest request,
      FullHttpResponse response,
      ChannelPromise promise) {
    int length = response.content().readableBytes();
    if (request == null
        || length < MIN_BODY_BYTES
        || length > MAX_BODY_BYTES
        || request.method().equals(HttpMethod.HEAD)
        || !mayHaveBody(response.status().code())
        || response.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)) {
      return false;
    }
    ChannelHandlerContext encoder = guard.pipeline().context(VertxInternals.RESPONSE_ENCODER);
    ByteBuf bytes = encoder == null ? null : encode(response, guard.alloc());
    if (bytes == null) {
      return false;
    }
    response.release();
    var unused = encoder.write(bytes, promise);
    return true;
  }

  /** Encodes a response; returns null if Vert.x has not created it. */
  private static @Nullable ByteBuf encode(FullHttpResponse response, ByteBufAllocator allocator) {
    ByteBuf body = response.content();
    ByteBuf bytes = allocator.directBuffer(HEAD_BYTES + body.readableBytes());
    boolean encoded = false;
    try {
      encodeLine(response, bytes);
      encoded = VertxInternals.encode(response.headers(), bytes);
      bytes.writeShort(LINE_END);
      bytes.writeBytes(body, body.readerIndex(), body.readableBytes());
    } finally {
      if (!encoded) {
        bytes.release();
      }
    }
    return encoded ? bytes : null;
  }

  private static boolean mayHaveBody(int status) {
    return status >= 200
        && status != HttpResponseStatus.NO_CONTENT.code()
        && status != HttpResponseStatus.RESET_CONTENT.code()
        && status != HttpResponseStatus.NOT_MODIFIED.code();
  }

  private static void encodeLine(FullHttpResponse response, ByteBuf bytes) {
    bytes.writeCharSequence(response.protocolVersion().text(), US_ASCII);
    bytes.writeByte(' ');
    ByteBufUtil.copy(response.status().codeAsText(), bytes);
    bytes.writeByte(' ');
    bytes.writeCharSequence(response.status().reasonPhrase(), US_ASCII);
    bytes.writeShort(LINE_END);
  }
}
