package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A request of an HTTP/2 client whose connection to the origin is closed before it is sent. */
final class ForwardingResendTest {
  private static final int PATIENCE_MILLIS = 20_000;
  private static final int MAX_HEADER_SIZE = 8 << 10;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Vertx vertx = Vertx.vertx();
  private final CompletableFuture<HttpClientRequest> connected = new CompletableFuture<>();
  private final CompletableFuture<Void> acquired = new CompletableFuture<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void fail_unsentRequestWithoutBody_isAnsweredOnAnotherConnection() throws Exception {
    try (SocketOrigin origin = SocketOrigin.ofConnections(this::serve);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), listen(origin));
        Http2Frames client = new Http2Frames(socket)) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      client.get(1, true);

      Http2Frames.Frame response = client.next(Http2Frames.HEADERS);

      assertThat(failures).isEmpty();
      assertThat(response).isNotNull();
      assertThat(client.status(response)).isEqualTo(204);
      assertThat(origin.accepted()).isEqualTo(2);
    }
  }

  /** Closes the first connection when a request has it, and responds on the second. */
  private void serve(SocketOrigin.Connection connection) throws IOException {
    if (connection.number() == 1) {
      var unused = Http2Frames.server(connection.socket());
      acquired.join();
    } else {
      connection.serveHttp2((proxy, stream) -> proxy.head(stream, true, ":status", "204"));
    }
  }

  private int listen(SocketOrigin origin) {
    HttpClient client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false)
                    .setDefaultHost("127.0.0.1")
                    .setDefaultPort(URI.create(origin.url()).getPort()))
            .withConnectHandler(
                connection -> OriginConnection.makeStrict(connection, MAX_HEADER_SIZE, () -> {}))
            .build();
    // On another event loop than the request, which therefore ends before its failure is known.
    Thread thread = new Thread(() -> connected.complete(connect(client).await()));
    thread.start();
    HttpClientRequest first = connected.join();
    first.exceptionHandler(reset -> {});
    var unused = first.reset();
    return vertx
        .createHttpServer()
        .requestHandler(request -> new ForwardedRequest(request, client).start())
        .listen(0, "127.0.0.1")
        .await()
        .actualPort();
  }

  private static Future<HttpClientRequest> connect(HttpClient client) {
    return client.request(HttpMethod.GET, "/");
  }

  /** A request that is forwarded over a connection that is closed, and then over another one. */
  private final class ForwardedRequest implements Forwarding.ExchangeEvents {
    private final HttpServerRequest request;
    private final HttpClient client;

    ForwardedRequest(HttpServerRequest request, HttpClient client) {
      this.request = request;
      this.client = client;
    }

    void start() {
      var context = vertx.getOrCreateContext();
      context.exceptionHandler(
          failure -> {
            failures.add(failure);
            var unused = request.response().setStatusCode(500).end();
          });
      request.pause();
      var unused =
          connect(client)
              .onSuccess(
                  first -> {
                    first
                        .connection()
                        .closeHandler(closed -> context.runOnContext(then -> forward(first)));
                    acquired.complete(null);
                  });
    }

    private void forward(HttpClientRequest to) {
      Exchange exchange =
          new Exchange(
              vertx,
              request,
              new RequestTarget("/", "a"),
              new Exchange.ExchangeClient("127.0.0.1", "127.0.0.1", "127.0.0.1", false));
      AddedHeaders none =
          new AddedHeaders(new VerdictResponses(HeaderFormat.NONE, Jitter.NONE), Verdict.UNLIMITED);
      Upstream upstream = upstream();
      InFlightRequests inFlight =
          new InFlightRequests(MINUTE, MINUTE, Duration.ZERO, upstream.slowClients());
      new Forwarding(exchange, upstream, none, to, inFlight, this).start();
    }

    @Override
    public boolean mayResend() {
      return true;
    }

    @Override
    public void resend() {
      var unused = connect(client).onSuccess(this::forward);
    }

    @Override
    public void left(InFlightRequests.@Nullable TimeoutKind timeoutKind) {}

    @Override
    public void surplus() {}

    @Override
    public void failed(Throwable failure) {
      failures.add(failure);
    }
  }

  private static Upstream upstream() {
    return new Upstream(
        URI.create("http://127.0.0.1"),
        true,
        null,
        true,
        false,
        false,
        1,
        new Upstream.QueueLimits(1, MINUTE, 1),
        new Upstream.SlowClients(MINUTE, 1),
        MINUTE,
        MINUTE,
        MINUTE,
        Duration.ZERO);
  }
}
