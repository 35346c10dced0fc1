package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.server.http.Connections;
import io.penstock.server.http.FailedRequests;
import io.penstock.server.http.GuardedTransport;
import io.penstock.server.http.HttpListener;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After any exception, a request releases its part of the client's share. */
final class OriginShareTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration WAIT = Duration.ofSeconds(5);

  private final FailedRequests failures = new FailedRequests("test");
  private final GuardedTransport transport = new GuardedTransport();
  private final Vertx vertx = Vertx.builder().withTransport(transport).build();
  private final AtomicInteger unanswered = new AtomicInteger();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/throws-at-once", "/throws-when-sent"})
  void forward_uncaughtException_releasesTheShare(String path) throws IOException {
    try (SocketOrigin server = new SocketOrigin(this::answer)) {
      OriginClient origin = new OriginClient(vertx, upstream(server.url()));
      HttpClient client = vertx.createHttpClient();
      int port = open(origin);

      for (int i = 0; i < 3; i++) {
        assertThat(status(client, port, path)).isEqualTo(500);
        assertThat(status(client, port, "/good")).isEqualTo(204);
      }
      assertThat(failures.count()).isEqualTo(3);
    }
  }

  private void answer(String head, SocketOrigin.Connection connection) throws IOException {
    if (head.startsWith("GET /good")) {
      connection.send("HTTP/1.1 204 No Content\r\n\r\n");
    } else {
      unanswered.incrementAndGet();
    }
  }

  private static int status(HttpClient client, int port, String path) {
    return client
        .request(HttpMethod.GET, port, "127.0.0.1", path)
        .compose(request -> request.send())
        .await()
        .statusCode();
  }

  private int open(OriginClient origin) {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    Connections connections =
        new Connections("test", new Connections.ConnectionLimits(10, 10, 60_000), address -> true);
    HttpListener.ListenerAddress listener =
        new HttpListener.ListenerAddress(transport, connections, options, 1);
    return HttpListener.open(vertx, listener, request -> forward(origin, request), failures)
        .await()
        .port();
  }

  private void forward(OriginClient origin, HttpServerRequest request) {
    request.pause();
    Exchange exchange =
        new Exchange(
            vertx,
            request,
            new RequestTarget(request.uri(), "a"),
            new Exchange.ExchangeClient("127.0.0.1", "127.0.0.1", "127.0.0.1", false));
    int before = unanswered.get();
    AddedHeaders none =
        new AddedHeaders(new VerdictResponses(HeaderFormat.NONE, Jitter.NONE), Verdict.UNLIMITED);
    origin.forward(exchange, none, () -> {});
    switch (request.path()) {
      case "/throws-at-once" -> fail();
      case "/throws-when-sent" -> failAfter(before);
      default -> {}
    }
  }

  private void failAfter(int before) {
    if (unanswered.get() > before) {
      fail();
    }
    vertx.setTimer(1, later -> failAfter(before));
  }

  private static void fail() {
    throw new IllegalStateException("on purpose");
  }

  private static Upstream upstream(String url) {
    return new Upstream(
        URI.create(url),
        false,
        null,
        true,
        false,
        false,
        4,
        new Upstream.QueueLimits(4, WAIT, 1),
        new Upstream.SlowClients(MINUTE, 1),
        WAIT,
        MINUTE,
        MINUTE,
        Duration.ZERO);
  }
}
