package io.penstock.server.hostile;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.hostile.FuzzClient.Outcome;
import io.penstock.server.hostile.Listeners.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The fuzzer distinguishes a lost response from an orderly close. */
class FuzzClientTest {
  private static final byte[] REQUEST = "GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII);
  private static final String TIMEOUT = "HTTP/1.1 408 Request Timeout\r\n\r\n";

  private ServerSocket server;
  private FuzzClient client;

  /** Handles a connection, which is closed afterwards. */
  private interface ConnectionEnd {
    void handle(Socket socket) throws IOException;
  }

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    client =
        new FuzzClient(
            () -> {
              Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
              socket.setSoTimeout(Listeners.PATIENCE_MILLIS);
              return socket;
            },
            Listener.DECISION,
            new Random(1));
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void send_closedAfterTheLastByte_isClosed() throws IOException {
    serve(FuzzClientTest::readAll);
    assertThat(client.send(REQUEST)).isEqualTo(Outcome.CLOSED);
  }

  @Test
  void send_resetBeforeTheLastByte_isUnread() throws IOException {
    ConnectionEnd early =
        socket -> {
          socket.getInputStream().readNBytes(5);
          socket.setSoLinger(true, 0);
        };
    serve(early, early);
    assertThat(client.send(REQUEST)).isEqualTo(Outcome.UNREAD);
  }

  @Test
  void send_resetAfterTheLastByte_isReset() throws IOException {
    serve(FuzzClientTest::resetAfterAll, socket -> respond(socket, TIMEOUT));
    assertThat(client.send(REQUEST)).isEqualTo(Outcome.RESET);
  }

  @Test
  void send_resetAfterTheResponse_isAnswered() throws IOException {
    serve(
        socket -> {
          respond(socket, TIMEOUT);
          resetAfterAll(socket);
        });
    assertThat(client.send(REQUEST)).isEqualTo(Outcome.ANSWERED);
  }

  @Test
  void sendComplete_reset_isReset() throws IOException {
    serve(FuzzClientTest::resetAfterAll);
    assertThat(client.sendComplete(REQUEST)).isEqualTo(Outcome.RESET);
  }

  private static void readAll(Socket socket) throws IOException {
    socket.getInputStream().readNBytes(REQUEST.length);
  }

  private static void resetAfterAll(Socket socket) throws IOException {
    readAll(socket);
    socket.setSoLinger(true, 0);
  }

  private static void respond(Socket socket, String response) throws IOException {
    socket.getOutputStream().write(response.getBytes(US_ASCII));
  }

  /** Handles the next connections, one after the other. */
  private void serve(ConnectionEnd... connections) {
    Thread thread =
        new Thread(
            () -> {
              for (ConnectionEnd connection : connections) {
                try (Socket socket = server.accept()) {
                  connection.handle(socket);
                } catch (IOException closedByTheTest) {
                  return;
                }
              }
            },
            "fuzz-client-test");
    thread.setDaemon(true);
    thread.start();
  }
}
