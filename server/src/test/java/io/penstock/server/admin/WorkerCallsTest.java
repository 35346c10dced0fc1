package io.penstock.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerCallsTest {
  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger ended = new AtomicInteger();

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private HttpResponse<String> respond(Callable<String> call, Consumer<HttpServerRequest> then)
      throws Exception {
    WorkerCalls calls = new WorkerCalls(vertx);
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(
                request ->
                    calls.respond(
                        request,
                        call,
                        result -> then.accept(request),
                        failure ->
                            failure instanceof IllegalArgumentException
                                ? failure.getMessage()
                                : null,
                        ended::incrementAndGet))
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get();
    URI address = URI.create("http://127.0.0.1:" + server.actualPort() + "/");
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void respond_callFails_clientGets500() throws Exception {
    HttpResponse<String> answer =
        respond(
            () -> {
              throw new IllegalStateException("secret");
            },
            request -> {});

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).doesNotContain("secret");
    assertThat(ended).hasValue(1);
  }

  @Test
  void respond_errorOfTheCall_clientGets500() throws Exception {
    HttpResponse<String> answer =
        respond(
            () -> {
              throw new StackOverflowError();
            },
            request -> {});

    assertThat(answer.statusCode()).isEqualTo(500);
  }

  @Test
  void respond_writingFails_clientGets500() throws Exception {
    HttpResponse<String> answer =
        respond(
            () -> "result",
            request -> {
              throw new IllegalStateException("cannot write");
            });

    assertThat(answer.statusCode()).isEqualTo(500);
  }

  @Test
  void respond_invalidRequest_clientGets400() throws Exception {
    HttpResponse<String> answer =
        respond(
            () -> {
              throw new IllegalArgumentException("too large");
            },
            request -> {});

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("too large");
  }
}
