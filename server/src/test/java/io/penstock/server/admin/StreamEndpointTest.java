package io.penstock.server.admin;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StreamEndpointTest {
  private static final int LINE = 100_000;

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final AtomicInteger rendered = new AtomicInteger();
  private final StreamEndpoint stream = new StreamEndpoint(vertx, Runnable::run, this::render);
  private int port;

  private byte[] render() {
    rendered.incrementAndGet();
    byte[] line = new byte[LINE];
    Arrays.fill(line, (byte) 'x');
    return line;
  }

  @BeforeEach
  void listen() {
    HttpServer server = vertx.createHttpServer().requestHandler(stream::stream);
    port = server.listen(0, "127.0.0.1").await().actualPort();
  }

  @AfterEach
  void stop() {
    vertx.close().await();
  }

  private Socket view() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.getOutputStream().write("GET /v1/stream HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
    return socket;
  }

  private void awaitViewers(int count) {
    await().until(() -> stream.viewers() == count);
  }

  @Test
  void publish_noViewers_rendersNothing() {
    stream.publish();
    assertThat(rendered).hasValue(0);
  }

  @Test
  void publish_severalViewers_rendersOnce() throws IOException {
    try (Socket first = view();
        Socket second = view()) {
      awaitViewers(2);
      int before = rendered.get();
      assertThat(before).as("for the first viewer at once").isEqualTo(1);
      stream.publish();
      assertThat(rendered).hasValue(before + 1);
      assertThat(first.getInputStream().readNBytes(LINE)).contains((byte) 'x');
      assertThat(second.getInputStream().readNBytes(LINE)).contains((byte) 'x');
    }
  }

  @Test
  void publish_viewerThatDoesNotRead_isDisconnectedAndOthersReceiveAllEvents() throws IOException {
    try (Socket slow = view()) {
      awaitViewers(1);
      try (Socket reading = view();
          BufferedReader lines =
              new BufferedReader(new InputStreamReader(reading.getInputStream(), US_ASCII))) {
        awaitViewers(2);
        readEvent(lines);
        await("slow viewer disconnected")
            .until(
                () -> {
                  stream.publish();
                  readEvent(lines);
                  return stream.viewers() == 1;
                });
        assertIsDisconnected(slow);
        for (int i = 0; i < 5; i++) {
          stream.publish();
          readEvent(lines);
        }
        assertThat(stream.viewers()).isEqualTo(1);
      }
    }
  }

  /** Reads the next event of a viewer; waits for it. */
  private static void readEvent(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    while (line != null && !line.startsWith("data: ")) {
      line = lines.readLine();
    }
    assertThat(line).hasSize("data: ".length() + LINE);
  }

  /** Reads what the operating system has buffered, up to the end of the connection. */
  private static void assertIsDisconnected(Socket viewer) throws IOException {
    viewer.setSoTimeout(60_000);
    try {
      viewer.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (SocketException reset) {
      assertThat(reset).hasMessageContaining("reset");
    }
  }

  @Test
  void publish_viewerThatLeft_isForgotten() throws IOException {
    view().close();
    try (Socket other = view()) {
      awaitViewers(1);
      assertThat(other.isClosed()).isFalse();
    }
    awaitViewers(0);
  }

  @Test
  void close_viewers_seeTheEnd() throws IOException {
    try (Socket viewer = view()) {
      awaitViewers(1);
      var unused = stream.close();
      awaitViewers(0);
      byte[] all = viewer.getInputStream().readNBytes(LINE);
      assertThat(new String(all, US_ASCII)).startsWith("HTTP/1.1 200 OK");
      try (Socket late = view()) {
        String answer = new String(late.getInputStream().readNBytes(12), US_ASCII);
        assertThat(answer).isEqualTo("HTTP/1.1 503");
      }
    }
  }
}
