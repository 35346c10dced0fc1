package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.penstock.server.vertx.VertxInternals;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShortResponsesTest {
  private static final HttpRequest GET = request(HttpMethod.GET);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ChannelHandlerContext guard;

  ShortResponsesTest() {
    ChannelDuplexHandler last = new ChannelDuplexHandler();
    channel.pipeline().addLast(VertxInternals.RESPONSE_ENCODER, new HttpResponseEncoder());
    channel.pipeline().addLast(last);
    guard = channel.pipeline().context(last);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private static HttpRequest request(HttpMethod method) {
    return new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, "/");
  }

  private static FullHttpResponse response(int status, int length) {
    HttpHeaders headers = (HttpHeaders) io.vertx.core.http.HttpHeaders.headers();
    headers.add("Content-Type", "text/plain").add("x-other", "a");
    headers.add("content-length", Integer.toString(length));
    return new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1,
        HttpResponseStatus.valueOf(status),
        Unpooled.copiedBuffer("x".repeat(length), ISO_8859_1),
        headers,
        EmptyHttpHeaders.INSTANCE);
  }

  private boolean write(HttpRequest request, FullHttpResponse response) {
    boolean written = ShortResponses.write(guard, request, response, channel.newPromise());
    channel.flush();
    return written;
  }

  private String sent() {
    StringBuilder sent = new StringBuilder();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      sent.append(part.toString(ISO_8859_1));
      part.release();
    }
    return sent.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {129, 1_000, 4_096})
  void write_shortBody_sendsTheSameAsTheEncoder(int length) {
    channel.writeOutbound(response(429, length));
    String expected = sent();
    FullHttpResponse response = response(429, length);
    assertThat(write(GET, response)).isTrue();
    assertThat(channel.outboundMessages()).hasSize(1);
    assertThat(sent()).isEqualTo(expected);
    assertThat(response.refCnt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 128, 4_097})
  void write_otherBody_leavesItToTheEncoder(int length) {
    FullHttpResponse response = response(200, length);
    assertThat(write(GET, response)).isFalse();
    assertThat(channel.outboundMessages()).isEmpty();
    assertThat(response.release()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {101, 204, 205, 304})
  void write_statusWithoutBody_leavesItToTheEncoder(int status) {
    FullHttpResponse response = response(status, 200);
    assertThat(write(GET, response)).isFalse();
    assertThat(response.release()).isTrue();
  }

  @Test
  void write_chunkedOrToHeadOrToAnUnknownRequest_leavesItToTheEncoder() {
    FullHttpResponse response = response(200, 200);
    assertThat(write(request(HttpMethod.HEAD), response)).isFalse();
    assertThat(ShortResponses.write(guard, null, response, channel.newPromise())).isFalse();
    response.headers().remove("content-length").set("transfer-encoding", "chunked");
    assertThat(write(GET, response)).isFalse();
    assertThat(response.release()).isTrue();
  }
}
