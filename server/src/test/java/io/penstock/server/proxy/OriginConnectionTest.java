package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The assumptions of {@link OriginConnection} about the internals of Vert.x, which a new version
 * may change.
 */
final class OriginConnectionTest {
  private static final int MAX_HEADER_SIZE = 8 << 10;
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final Vertx vertx = Vertx.vertx();
  private final List<HttpConnection> connections = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final AtomicInteger surplus = new AtomicInteger();

  @AfterEach
  void end() {
    vertx.close().await();
  }

  @Test
  void http1_theCodecIsReplaced() throws Exception {
    try (SocketOrigin origin = new SocketOrigin((head, connection) -> connection.send(OK))) {
      get(HttpVersion.HTTP_1_1, origin.url());
      ChannelHandlerContext http = context();
      assertThat(http.pipeline().names())
          .as("Vert.x's handler must come right behind the codec of a client's connection")
          .containsSubsequence("codec", http.name());
      assertThat(http.pipeline().get("codec")).isInstanceOf(OriginCodec.class);
    }
  }

  @Test
  void http2_theFramesAreFiltered() {
    try (TestOrigin origin = new TestOrigin(request -> request.response().end("ok"))) {
      get(HttpVersion.HTTP_2, origin.url());
      Http2ConnectionHandler handler = (Http2ConnectionHandler) context().handler();
      assertThat(handler.decoder().frameListener())
          .as("Vert.x must read frames through the listener that was set")
          .isInstanceOf(OriginFrames.class);
    }
  }

  @Test
  void status103_isNotTheFinalResponse() throws Exception {
    try (SocketOrigin origin =
        new SocketOrigin(
            (head, connection) ->
                connection.send("HTTP/1.1 102 Processing\r\nA: b\r\n\r\n" + OK))) {
      List<String> interim = new CopyOnWriteArrayList<>();
      HttpClientResponse response =
          request(HttpVersion.HTTP_1_1, origin.url())
              .earlyHintsHandler(
                  headers -> interim.add(InterimStatus.take(headers) + headers.toString().trim()))
              .send()
              .await();
      assertThat(interim)
          .as("Vert.x must report a 103 with its headers to the handler for early hints")
          .hasSize(1)
          .allMatch(seen -> seen.startsWith("102") && seen.endsWith("b"));
      assertThat(response.statusCode())
          .as("Vert.x must wait for the final response after a 103")
          .isEqualTo(200);
    }
  }

  @Test
  void retiredHeaders_theConnectionIsClosed() throws Exception {
    try (SocketOrigin origin = new SocketOrigin((head, connection) -> connection.send(OK + "x"))) {
      get(HttpVersion.HTTP_1_1, origin.url());
      // Vert.x must read the Connection field of a response after it has ended.
      await().until(() -> origin.open() == 0);
      assertThat(surplus).hasValue(1);
    }
  }

  @Test
  void headReadTogetherWithItsBody_isPartOfMore() throws Exception {
    assertThat(isPartOfMore(OK)).as("Vert.x must pass on the headers of the decoder").isTrue();
    assertThat(isPartOfMore("HTTP/1.1 204 No Content\r\n\r\n")).isTrue();
    assertThat(isPartOfMore("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")).isFalse();
    assertThat(isPartOfMore("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1")).isFalse();
  }

  private boolean isPartOfMore(String sent) throws Exception {
    try (SocketOrigin origin = new SocketOrigin((head, connection) -> connection.send(sent))) {
      HttpClientResponse response = request(HttpVersion.HTTP_1_1, origin.url()).send().await();
      return OriginHeaders.arePartOfMore(response.headers());
    }
  }

  /** How a connection ends before a request that has it from the pool is sent. */
  private enum End {
    PROTOCOL_ERROR,
    GO_AWAY,
    CLOSE
  }

  @ParameterizedTest
  @EnumSource
  void http2_requestAfterTheEndOfItsConnection_isUnsent(End end) throws Exception {
    CompletableFuture<End> ending = new CompletableFuture<>();
    try (SocketOrigin origin =
        SocketOrigin.ofConnections(
            connection -> {
              try (Http2Frames frames = Http2Frames.server(connection.socket())) {
                switch (ending.join()) {
                  case PROTOCOL_ERROR -> frames.write(Http2Frames.PING, 0, 1, new byte[8]);
                  case GO_AWAY -> frames.write(Http2Frames.GO_AWAY, 0, 0, new byte[8]);
                  case CLOSE -> frames.socket().close();
                }
                connection.awaitClose();
              }
            })) {
      HttpClientRequest request = request(HttpVersion.HTTP_2, origin.url());
      HttpConnection connection = request.connection();
      assertThat(OriginConnection.isUsable(connection)).isTrue();
      CompletableFuture<Void> ended = new CompletableFuture<>();
      connection.exceptionHandler(error -> {});
      connection.closeHandler(closed -> ended.complete(null));
      connection.goAwayHandler(gone -> ended.complete(null));

      ending.complete(end);
      ended.get(20, TimeUnit.SECONDS);

      assertThatThrownBy(() -> request.send().await())
          .as("Vert.x must report that a stream can't be created")
          .matches(OriginConnection::isUnsent);
      assertThat(OriginConnection.isUsable(connection)).isEqualTo(end == End.GO_AWAY);
    }
  }

  @Test
  void connectionOfAnotherType_isRejectedWithAClearMessage() {
    HttpConnection unknown =
        (HttpConnection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HttpConnection.class},
                (proxy, method, arguments) -> null);
    assertThatThrownBy(() -> OriginConnection.makeStrict(unknown, MAX_HEADER_SIZE, () -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("The internals of this version of Vert.x have changed");
  }

  private ChannelHandlerContext context() {
    assertThat(failures).isEmpty();
    return VertxInternals.ofOrigin(connections.get(0));
  }

  private void get(HttpVersion version, String url) {
    request(version, url).send().compose(HttpClientResponse::body).await();
  }

  private HttpClientRequest request(HttpVersion version, String url) {
    HttpClientAgent client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions().setProtocolVersion(version).setHttp2ClearTextUpgrade(false))
            .withConnectHandler(this::connected)
            .build();
    URI origin = URI.create(url);
    return client.request(HttpMethod.GET, origin.getPort(), origin.getHost(), "/").await();
  }

  private void connected(HttpConnection connection) {
    try {
      OriginConnection.makeStrict(connection, MAX_HEADER_SIZE, surplus::incrementAndGet);
      connections.add(connection);
    } catch (RuntimeException changed) {
      failures.add(changed);
    }
  }
}
