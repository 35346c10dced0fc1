package io.penstock.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.penstock.server.proxy.LoggedWarnings;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Whatever a handler throws, however late, the client gets a response. */
class FailedRequestsTest {
  private final FailedRequests failures = new FailedRequests("test");
  private final GuardedTransport transport = new GuardedTransport();
  private final Vertx vertx = Vertx.builder().withTransport(transport).build();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP_1_1,/at-once",
    "HTTP_2,/at-once",
    "HTTP_1_1,/timer",
    "HTTP_2,/timer",
    "HTTP_1_1,/worker",
    "HTTP_2,/worker",
    "HTTP_1_1,/body",
    "HTTP_2,/body",
    "HTTP_1_1,/error",
    "HTTP_2,/error"
  })
  void handler_thatThrows_is500AndCounted(HttpVersion version, String path) {
    HttpClientResponse answer = post(client(version), path);

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.getHeader("X-Half-Done")).isNull();
    assertThat(failures.count()).isEqualTo(1);
  }

  @Test
  void failures_many_areLoggedOnceWithoutStackTrace() {
    int failed = 20;
    Logger logger = (Logger) LoggerFactory.getLogger(FailedRequests.class);
    logger.setLevel(Level.INFO);
    try (LoggedWarnings log = new LoggedWarnings()) {
      HttpClient client = client(HttpVersion.HTTP_1_1);
      for (int i = 0; i < failed; i++) {
        assertThat(post(client, "/at-once?token=secret").statusCode()).isEqualTo(500);
      }

      assertThat(failures.count()).isEqualTo(failed);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("Cannot handle a request to the test listener (")
          .contains(IllegalStateException.class.getName() + " at ")
          .doesNotContain("on purpose", "secret", "\n");
      assertThat(log.stackTraces()).isEmpty();
    } finally {
      logger.setLevel(null);
    }
  }

  private HttpClient client(HttpVersion version) {
    return vertx.createHttpClient(
        new HttpClientOptions()
            .setProtocolVersion(version)
            .setHttp2ClearTextUpgrade(false)
            .setDefaultPort(open()));
  }

  private static HttpClientResponse post(HttpClient client, String path) {
    return client
        .request(HttpMethod.POST, path)
        .compose(request -> request.send(Buffer.buffer("body")))
        .await();
  }

  private int open() {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    HttpListener.ListenerAddress listener =
        new HttpListener.ListenerAddress(transport, new Connections(10, 60_000), options, 1);
    return HttpListener.open(vertx, listener, this::fail, failures).await().port();
  }

  private void fail(HttpServerRequest request) {
    request.response().putHeader("X-Half-Done", "yes");
    switch (request.path()) {
      case "/timer" -> vertx.setTimer(1, late -> fail());
      case "/worker" -> Vertx.currentContext().executeBlocking(() -> 1).onComplete(done -> fail());
      case "/body" -> request.endHandler(done -> fail());
      case "/error" -> throw new StackOverflowError("deep");
      default -> fail();
    }
  }

  private static void fail() {
    throw new IllegalStateException("on purpose");
  }
}
