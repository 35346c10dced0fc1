package io.penstock.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * Allows the first request of a connection to upgrade to HTTP/2 only if it is valid in every
 * respect. A request that asks for the upgrade in an invalid way is malformed: bytes behind it may
 * be meant for another protocol, and must not be decoded as a request. Other requests that can't be
 * upgraded, such as those with a body, continue with HTTP/1.1, as a server may always choose.
 * Vert.x would upgrade a malformed request, or respond to it and leave the connection open.
 * Confined to one connection.
 */
final class UpgradeCheck extends ChannelInboundHandlerAdapter {
  private static final String SETTINGS = "HTTP2-Settings";
  private static final int MAX_SETTINGS = 16;
  private static final int SETTING_BYTES = 6;
  private static final int ENABLE_PUSH = 2;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int MAX_FRAME_SIZE = 5;
  private static final int MIN_FRAME_BYTES = 1 << 14;
  private static final int MAX_FRAME_BYTES = (1 << 24) - 1;

  @Override
  public void channelRead(ChannelHandlerContext connection, Object message) {
    if (message instanceof HttpRequest request) {
      HttpHeaders headers = request.headers();
      if (headers.contains(HttpHeaderNames.UPGRADE, "h2c", true)) {
        if (!isOffer(headers)) {
          request.setDecoderResult(
              DecoderResult.failure(new IllegalArgumentException("invalid upgrade to HTTP/2")));
        }
        if (!isValid(request)) {
          headers.remove(HttpHeaderNames.UPGRADE);
        }
      }
      connection.pipeline().remove(this);
    }
    connection.fireChannelRead(message);
  }

  /** Returns whether the headers offer an upgrade to HTTP/2 alone, in the required form. */
  private static boolean isOffer(HttpHeaders headers) {
    return headers.getAll(HttpHeaderNames.UPGRADE).size() == 1
        && headers.getAll(HttpHeaderNames.CONNECTION).size() == 1
        && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
        && headers.containsValue(HttpHeaderNames.CONNECTION, SETTINGS, true)
        && headers.getAll(SETTINGS).size() == 1
        && areValid(headers.get(SETTINGS));
  }

  private static boolean isValid(HttpRequest request) {
    HttpHeaders headers = request.headers();
    return request.decoderResult().isSuccess()
        && request.protocolVersion().equals(HttpVersion.HTTP_1_1)
        && headers.getAll(HttpHeaderNames.HOST).size() == 1
        && !HostText.isInvalid(headers)
        && headers.getAll(HttpHeaderNames.CONTENT_LENGTH).stream().allMatch("0"::equals)
        && !headers.contains(HttpHeaderNames.TRANSFER_ENCODING);
  }

  private static boolean areValid(String settings) {
    ByteBuffer bytes;
    try {
      bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(settings));
    } catch (IllegalArgumentException notBase64) {
      return false;
    }
    if (bytes.remaining() % SETTING_BYTES != 0
        || bytes.remaining() > MAX_SETTINGS * SETTING_BYTES) {
      return false;
    }
    while (bytes.hasRemaining()) {
      if (!isValid(bytes.getShort() & 0xffff, bytes.getInt() & 0xffff_ffffL)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isValid(int setting, long value) {
    return switch (setting) {
      case ENABLE_PUSH -> value <= 1;
      case INITIAL_WINDOW_SIZE -> value <= Integer.MAX_VALUE;
      case MAX_FRAME_SIZE -> value >= MIN_FRAME_BYTES && value <= MAX_FRAME_BYTES;
      default -> true;
    };
  }
}
