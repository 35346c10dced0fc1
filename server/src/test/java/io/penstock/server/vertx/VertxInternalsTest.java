package io.penstock.server.vertx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.Http1xOrH2CHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The assumptions about the internals of Vert.x that the listeners make. */
class VertxInternalsTest {
  private final Vertx vertx = Vertx.vertx();
  private final List<String> atReport = new CopyOnWriteArrayList<>();
  private HttpClientAgent client;

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void http1Connection_whenReported_hasTheNamedHandlers() throws Exception {
    ChannelHandlerContext http = connected(HttpVersion.HTTP_1_1);
    assertThat(http.pipeline().get(VertxInternals.REQUEST_DECODER))
        .as("Vert.x must decode HTTP/1 requests in a VertxHttpRequestDecoder called httpDecoder")
        .isInstanceOf(VertxInternals.RequestDecoder.class.getSuperclass());
    assertThat(http.pipeline().get(VertxInternals.RESPONSE_ENCODER))
        .as("Vert.x must encode HTTP/1 responses in a handler called httpEncoder")
        .isInstanceOf(HttpResponseEncoder.class);
    assertThat(atReport)
        .as("Vert.x must report a connection while its upgrade handler is still called h2c")
        .containsSubsequence(
            VertxInternals.REQUEST_DECODER, VertxInternals.UPGRADE_HANDLER, http.name());
  }

  @Test
  void encode_headersOfVertx_writesThem() {
    ByteBuf bytes = Unpooled.buffer();
    HttpHeaders headers = (HttpHeaders) io.vertx.core.http.HttpHeaders.headers().add("a", "b");
    assertThat(VertxInternals.encode(headers, bytes))
        .as("The headers of a response must be a HeadersMultiMap")
        .isTrue();
    assertThat(bytes.toString(StandardCharsets.US_ASCII)).isEqualTo("a: b\r\n");
    assertThat(VertxInternals.encode(new DefaultHttpHeaders(), bytes)).isFalse();
  }

  @Test
  void http2Connection_whenReported_hasAConnectionHandler() throws Exception {
    assertThat(connected(HttpVersion.HTTP_2).handler())
        .as("The handler of an HTTP/2 connection must be an Http2ConnectionHandler of Netty")
        .isInstanceOf(Http2ConnectionHandler.class);
  }

  @Test
  void detectsProtocol_untilEnoughBytesAreRead_isTrue() {
    EmbeddedChannel channel = new EmbeddedChannel(new Http1xOrH2CHandler());
    assertThat(VertxInternals.detectsProtocol(channel.pipeline())).isTrue();
    channel.writeInbound(Unpooled.copiedBuffer("P", StandardCharsets.US_ASCII));
    assertThat(VertxInternals.detectsProtocol(channel.pipeline()))
        .as("Http1xOrH2CHandler must wait for more than the P of POST and PRI")
        .isTrue();
    channel.writeInbound(Unpooled.copiedBuffer("OST", StandardCharsets.US_ASCII));
    assertThat(VertxInternals.detectsProtocol(channel.pipeline()))
        .as("Http1xOrH2CHandler must remove itself when the protocol is known")
        .isFalse();
    channel.finishAndReleaseAll();
  }

  @Test
  void eventLoop_calledOnItsContext_runsNowAndReportsExceptionsToTheContext() throws Exception {
    Context context = vertx.getOrCreateContext();
    CompletableFuture<Throwable> reported = new CompletableFuture<>();
    context.exceptionHandler(reported::complete);
    CompletableFuture<Boolean> returned = new CompletableFuture<>();
    context.runOnContext(
        unused -> {
          VertxInternals.eventLoop()
              .execute(
                  () -> {
                    throw new IllegalStateException("thrown");
                  });
          returned.complete(reported.isDone());
        });
    assertThat(returned.get(30, TimeUnit.SECONDS))
        .as("emit must run the task at once, and pass its exception to the context")
        .isTrue();
    assertThat(reported.get()).hasMessage("thrown");
  }

  @Test
  void eventLoop_calledOnAnotherThread_runsOnTheContext() throws Exception {
    Context context = vertx.getOrCreateContext();
    CompletableFuture<Executor> executor = new CompletableFuture<>();
    context.runOnContext(unused -> executor.complete(VertxInternals.eventLoop()));
    CompletableFuture<Context> ran = new CompletableFuture<>();
    executor.get(30, TimeUnit.SECONDS).execute(() -> ran.complete(Vertx.currentContext()));
    assertThat(ran.get(30, TimeUnit.SECONDS)).isSameAs(context);
  }

  @Test
  void connectionOfAnotherType_isRejectedWithAClearMessage() {
    HttpConnection unknown =
        (HttpConnection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HttpConnection.class},
                (proxy, method, arguments) -> null);
    List<Consumer<HttpConnection>> uses =
        List.of(
            VertxInternals::ofClient,
            VertxInternals::ofOrigin,
            connection -> VertxInternals.write(connection, "message"),
            connection -> VertxInternals.fail(connection, new IllegalStateException()));
    for (Consumer<HttpConnection> use : uses) {
      assertThatThrownBy(() -> use.accept(unknown))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("The internals of this version of Vert.x have changed: ");
    }
  }

  @Test
  void fail_whileARequestIsPending_reportsToItsResponseAndKeepsTheConnection() {
    IllegalStateException failure = new IllegalStateException("failed");
    CompletableFuture<Throwable> reported = new CompletableFuture<>();
    HttpServer server =
        vertx
            .createHttpServer()
            .exceptionHandler(expected -> {})
            .requestHandler(
                request -> {
                  request.response().exceptionHandler(reported::complete);
                  VertxInternals.fail(request.connection(), failure);
                  request.response().end("still open");
                })
            .listen(0, "127.0.0.1")
            .await();
    client = vertx.createHttpClient();
    String body =
        client
            .request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/")
            .compose(request -> request.send())
            .compose(HttpClientResponse::body)
            .await()
            .toString();
    assertThat(reported).isCompletedWithValue(failure);
    assertThat(body).isEqualTo("still open");
  }

  /** Returns the handler of a connection that a server has reported. */
  private ChannelHandlerContext connected(HttpVersion version) throws Exception {
    CompletableFuture<ChannelHandlerContext> reported = new CompletableFuture<>();
    HttpServer server =
        vertx
            .createHttpServer()
            .connectionHandler(
                connection -> {
                  ChannelHandlerContext http = VertxInternals.ofClient(connection);
                  atReport.addAll(http.pipeline().names());
                  reported.complete(http);
                })
            .requestHandler(request -> request.response().end())
            .listen(0, "127.0.0.1")
            .await();
    // Vert.x closes a client that nothing refers to.
    client =
        vertx.createHttpClient(
            new HttpClientOptions().setProtocolVersion(version).setHttp2ClearTextUpgrade(false));
    client
        .request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/")
        .compose(request -> request.send())
        .compose(HttpClientResponse::body)
        .await();
    return reported.get(30, TimeUnit.SECONDS);
  }
}
