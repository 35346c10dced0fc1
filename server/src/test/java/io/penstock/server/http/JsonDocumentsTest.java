package io.penstock.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parses bodies on a server with a single event loop. */
class JsonDocumentsTest {
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final HttpClient client = vertx.createHttpClient(new HttpClientOptions());
  private final CountDownLatch parsing = new CountDownLatch(1);
  private final CountDownLatch otherAnswered = new CountDownLatch(1);
  private final int port = open();

  @AfterEach
  void close() {
    otherAnswered.countDown();
    vertx.close().await();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/read", "/read-unlocated"})
  void read_largeBody_doesNotBlockOtherRequests(String path) throws Exception {
    Future<String> large = post(path, JsonDocuments.MAX_INLINE_BYTES + 1);
    assertThat(parsing.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(get().await()).isEqualTo("other");
    assertThat(large.isComplete()).isFalse();
    otherAnswered.countDown();
    assertThat(large.await()).isEqualTo("parsed on a worker");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/read", "/read-unlocated"})
  void read_smallBody_isParsedOnTheEventLoop(String path) {
    otherAnswered.countDown();
    assertThat(post(path, JsonDocuments.MAX_INLINE_BYTES).await())
        .isEqualTo("parsed on the event loop");
  }

  private Future<String> post(String path, int length) {
    String start = "{\"a\":\"";
    String end = "\"}";
    String text = "x".repeat(length - start.length() - end.length());
    return client
        .request(HttpMethod.POST, port, "127.0.0.1", path)
        .compose(request -> request.send(Buffer.buffer(start + text + end)))
        .compose(HttpClientResponse::body)
        .map(Buffer::toString);
  }

  private Future<String> get() {
    return client
        .request(HttpMethod.GET, port, "127.0.0.1", "/other")
        .compose(request -> request.send())
        .compose(HttpClientResponse::body)
        .map(Buffer::toString);
  }

  private int open() {
    return vertx
        .createHttpServer()
        .requestHandler(this::handle)
        .listen(0, "127.0.0.1")
        .await()
        .actualPort();
  }

  private void handle(HttpServerRequest request) {
    if (request.path().equals("/other")) {
      request.response().end("other");
      return;
    }
    request
        .body()
        .onSuccess(
            body -> {
              if (request.path().equals("/read")) {
                JsonDocuments.<String>read(
                    request, body, this::threadOf, text -> request.response().end(text));
              } else {
                JsonDocuments.<String>readUnlocated(
                    request, body, this::threadOf, text -> request.response().end(text));
              }
            });
  }

  /** Reads a document until another request is answered. */
  private String threadOf(Node document, Problems problems) {
    boolean eventLoop = Context.isOnEventLoopThread();
    parsing.countDown();
    try {
      if (!otherAnswered.await(1, TimeUnit.MINUTES)) {
        return "parsed before the other request was answered";
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return eventLoop ? "parsed on the event loop" : "parsed on a worker";
  }
}
