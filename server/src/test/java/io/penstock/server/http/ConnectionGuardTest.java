package io.penstock.server.http;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Idle connections are closed. */
class ConnectionGuardTest {
  private static final int SHORT_MILLIS = 1_000;
  private static final int LONG_MILLIS = 2_000;
  private static final int MANY = 24 << 20;

  private final Connections connections = new Connections(10, 60_000);
  private final Vertx vertx =
      Vertx.builder()
          .withTransport(
              new GuardedTransport(
                  new GuardedListener(
                      connections, new HttpServerOptions(), UnhandledRequests.NONE)))
          .build();
  private final AtomicInteger ticks = new AtomicInteger();
  private int port;

  private void listen(int idleMillis) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost("127.0.0.1")
            .setPort(0)
            .setIdleTimeout(idleMillis)
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
    HttpServer server =
        vertx
            .createHttpServer(options)
            .connectionHandler(
                connection -> ConnectionGuard.attach(connection, new FailedRequests("test")))
            .requestHandler(
                request -> {
                  if (request.path().equals("/many")) {
                    request.response().end("x".repeat(MANY));
                  } else if (request.path().equals("/short")) {
                    request.response().end("short");
                  } // otherwise no response
                });
    port = server.listen().await().actualPort();
  }

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void connection_idleAfterTheResponse_isClosed() throws IOException {
    listen(SHORT_MILLIS);
    try (Socket client = ask("/short")) {
      String all = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(all).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\nshort");
    }
  }

  @Test
  void connection_responseThatNeverComes_isClosed() throws IOException {
    listen(SHORT_MILLIS);
    try (Socket client = ask("/never")) {
      assertThat(client.getInputStream().readAllBytes()).isEmpty();
    }
  }

  @Test
  void connection_clientThatStopsReading_isClosed() throws IOException {
    listen(SHORT_MILLIS);
    try (Socket client = ask("/many")) {
      assertThat(client.getInputStream().read()).isEqualTo('H');
      await().until(() -> connections.open() == 0);
    }
  }

  @Test
  void connection_clientThatReadsSlowly_getsAll() {
    listen(LONG_MILLIS);
    vertx.setPeriodic(LONG_MILLIS / 8, tick -> ticks.incrementAndGet());
    // More than one attempt only on a machine that pauses for longer than the timeout.
    await("all").ignoreExceptionsInstanceOf(IOException.class).until(() -> readSlowly() == MANY);
  }

  /**
   * Reads a piece at each tick of a timer of Vert.x, for longer than the timeout in total, and
   * returns the number of bytes.
   */
  private int readSlowly() throws IOException {
    try (Socket client = ask("/many")) {
      InputStream input = client.getInputStream();
      int read = 0;
      for (int piece = 0; piece < 12; piece++) {
        int before = ticks.get();
        await("a tick").until(() -> ticks.get() > before);
        read += input.readNBytes(MANY / 12).length;
      }
      return read;
    }
  }

  private Socket ask(String path) throws IOException {
    byte[] request =
        ("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
    client.setSoTimeout(20_000);
    client.getOutputStream().write(request);
    return client;
  }
}
