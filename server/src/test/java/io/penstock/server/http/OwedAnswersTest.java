package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Input that arrives while a response is pending does not prevent that response. */
final class OwedAnswersTest {
  private static final int HEAD_MILLIS = 800;
  private static final int LATE_MILLIS = 2 * HEAD_MILLIS;
  private static final String LATE = "GET /late HTTP/1.1\r\nHost: a\r\n\r\n";
  private static final String LAST = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

  private final Vertx vertx =
      Vertx.builder()
          .withTransport(
              new GuardedTransport(
                  new GuardedListener(
                      new Connections(10, HEAD_MILLIS),
                      new HttpServerOptions(),
                      UnhandledRequests.NONE)))
          .build();
  private final CompletableFuture<Void> requestReceived = new CompletableFuture<>();
  private Socket client;

  @BeforeEach
  void listen() throws IOException {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    int port =
        vertx
            .createHttpServer(options)
            .connectionHandler(
                connection -> ConnectionGuard.attach(connection, new FailedRequests("test")))
            .requestHandler(this::answer)
            .listen()
            .await()
            .actualPort();
    client = new Socket(InetAddress.getLoopbackAddress(), port);
    client.setSoTimeout(20_000);
  }

  private void answer(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (request.path().equals("/last")) {
      response.end("last");
      return;
    }
    if (request.path().equals("/begun")) {
      response.setChunked(true).write("begun");
    } else if (request.path().equals("/continued")) {
      response.writeContinue();
    }
    vertx.setTimer(LATE_MILLIS, late -> response.end("late"));
    requestReceived.complete(null);
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    vertx.close().await();
  }

  @Test
  void strayLine_whileAResponseIsPending_theResponseArrives() throws IOException {
    send(LATE);
    requestReceived.join();
    send("\r\n");
    readUntil("late");
  }

  @Test
  void strayLine_withinAResponse_theResponseIsComplete() throws IOException {
    send(LATE.replace("/late", "/begun"));
    readUntil("begun");
    send("\r\n");
    readUntil("0\r\n\r\n");
  }

  @Test
  void strayLine_afterAnInterimResponse_theResponseArrives() throws IOException {
    send(LATE.replace("/late", "/continued"));
    readUntil("100 Continue\r\n\r\n");
    send("\r\n");
    readUntil("late");
  }

  @Test
  void nextRequest_startedWhileAResponseIsPending_isAnswered() throws IOException {
    send(LATE);
    requestReceived.join();
    send(LAST.substring(0, 10));
    readUntil("late");
    send(LAST.substring(10));
    readUntil("last");
  }

  @Test
  void nextRequest_incomplete_timeoutStartsAfterTheResponse() throws IOException {
    send(LATE);
    requestReceived.join();
    send(LAST.substring(0, 10));
    readUntil("late");
    assertThat(rest()).startsWith("HTTP/1.1 408 ");
  }

  /** The part of the next head arrives together with the requests before it. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 20", "1, 29", "2, 1", "2, 20", "3, 29"})
  void nextRequest_incompleteInTheSameRead_timesOut(int requests, int length) throws IOException {
    String request = LAST.replace("Connection: close\r\n", "");
    send(request.repeat(requests) + request.substring(0, length));
    assertThat(List.of(rest().split("HTTP/1.1 ", -1)))
        .hasSize(requests + 2)
        .last()
        .asString()
        .startsWith("408 ");
  }

  @Test
  void nextRequest_malformed_isRejectedAfterThePendingResponse() throws IOException {
    send(LATE);
    requestReceived.join();
    send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n");
    readUntil("late");
    assertThat(rest()).startsWith("HTTP/1.1 400 ");
  }

  private void send(String bytes) throws IOException {
    client.getOutputStream().write(bytes.getBytes(US_ASCII));
  }

  private void readUntil(String end) throws IOException {
    StringBuilder text = new StringBuilder();
    while (text.indexOf(end) < 0) {
      int next = client.getInputStream().read();
      assertThat(next).as("what follows %s", text).isNotNegative();
      text.append((char) next);
    }
    assertThat(text.toString()).doesNotContain(" 408 ");
  }

  private String rest() throws IOException {
    return new String(client.getInputStream().readAllBytes(), US_ASCII);
  }
}
