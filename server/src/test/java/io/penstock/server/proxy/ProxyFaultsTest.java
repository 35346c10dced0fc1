package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Origins that are unreachable, hang, abort or send invalid responses. */
final class ProxyFaultsTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final Map<Setting, String> IMPATIENT =
      Map.of(Setting.UPSTREAM_FIRST_BYTE_MS, "300", Setting.UPSTREAM_IDLE_MS, "900");

  @TempDir private Path folder;

  @Test
  void originUnreachable_is502AndLoggedOnce() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    try (LoggedWarnings warnings = LoggedWarnings.filtered();
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, "http://127.0.0.1:" + port)) {
      for (int i = 0; i < 3; i++) {
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502").contains("application/problem+json");
      }
      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .startsWith("Cannot connect to the origin at http://127.0.0.1:" + port + " (Connection ")
          .endsWith("); clients get 502");
    }
  }

  @Test
  void originHangs_is504() throws IOException {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxyFixture proxy = in(origin, IMPATIENT)) {
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 504").contains("application/problem+json");
    }
  }

  /** An origin that accepts connections but does not answer the TLS handshake. */
  @Test
  void originHangsInItsHandshake_is504() throws IOException {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        LoggedWarnings warnings = LoggedWarnings.filtered();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                "https://127.0.0.1:" + origin.getLocalPort(),
                Map.of(Setting.UPSTREAM_CONNECT_MS, "300"))) {
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 504").contains("application/problem+json");
      assertThat(warnings.messages())
          .containsExactly(
              "Cannot connect to the origin at https://127.0.0.1:"
                  + origin.getLocalPort()
                  + " in time; clients get 504");
    }
  }

  @Test
  void originAbortsAfterItsHead_isTruncatedOr502() throws Exception {
    // The head is forwarded at once, unless the proxy sees the end of the connection together with
    // it.
    String answer = answered("HTTP/1.1 200 Fine\r\nContent-Length: 9\r\n\r\n");
    if (answer.startsWith("HTTP/1.1 200 Fine\r\n")) {
      assertThat(answer).contains("Content-Length: 9\r\n").endsWith("\r\n\r\n");
    } else {
      assertThat(answer).startsWith("HTTP/1.1 502 Bad Gateway\r\n");
    }
  }

  @Test
  void originSendsInvalidResponse_is502() throws Exception {
    assertThat(answered("nonsense\r\n\r\n")).startsWith("HTTP/1.1 502");
    assertThat(answered("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n")).startsWith("HTTP/1.1 502");
  }

  @Test
  void originClosesAtOnce_is502() throws Exception {
    assertThat(answered("")).startsWith("HTTP/1.1 502");
  }

  @Test
  void originAbortsWithinABody_theClientSeesIt() throws Exception {
    String answer = answered("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    assertThat(answer).startsWith("HTTP/1.1 200").doesNotContain("502");
    String chunked = answered("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
    assertThat(chunked).startsWith("HTTP/1.1 200").doesNotEndWith("0\r\n\r\n");
  }

  @Test
  void afterAFault_theNextRequestWorks() throws Exception {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxyFixture proxy = in(origin, Map.of())) {
      Thread serving =
          new Thread(
              () -> {
                try {
                  serve(origin, "");
                  serve(origin, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                } catch (IOException ended) {
                  // The assertions of the test will fail.
                }
              });
      serving.start();
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502");
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 200").endsWith("ok");
      serving.join();
    }
  }

  @Test
  void originClosesAPooledConnection_anotherIsUsed() throws Exception {
    String[] answers = new String[500];
    Arrays.fill(answers, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    try (RawOrigin origin = new RawOrigin(answers);
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      for (int i = 0; i < answers.length; i++) {
        // Requests that were already sent on such a connection are lost, though.
        assertThat(proxy.raw(GET)).containsAnyOf("HTTP/1.1 200", "The origin aborted the exchange");
      }
    }
  }

  @Test
  void manyFaults_leakNothing() throws Exception {
    String[] faults = {
      "",
      "nonsense\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nX: " + "a".repeat(100_000) + "\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    };
    try (RawOrigin origin = new RawOrigin(faults);
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                origin.url(),
                Map.of(Setting.UPSTREAM_CONNECTIONS, "1"))) {
      String answer = "";
      for (int i = 0; i < faults.length; i++) {
        answer = proxy.raw(GET);
      }
      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("ok");
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    }
  }

  @Test
  void originStallsWithinItsResponse_theResponseIsAborted() throws Exception {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                "http://127.0.0.1:" + origin.getLocalPort(),
                Map.of(Setting.UPSTREAM_TOTAL_MS, "3000"));
        Socket client = proxy.connect()) {
      client.getOutputStream().write(GET.getBytes(ISO_8859_1));
      try (Socket socket = origin.accept()) {
        socket
            .getOutputStream()
            .write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".getBytes(ISO_8859_1));
        assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 200").endsWith("half");
      }
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    }
  }

  @Test
  void originDoesNotAccept_is504() throws Exception {
    List<Socket> filling = new ArrayList<>();
    try (ServerSocket origin = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < 4; i++) {
        filling.add(SocketChannel.open().socket());
        SocketChannel channel = filling.get(i).getChannel();
        channel.configureBlocking(false);
        channel.connect(origin.getLocalSocketAddress());
      }
      try (ProxyFixture proxy =
          new ProxyFixture(
              folder,
              ProxyFixture.UNLIMITED,
              "http://127.0.0.1:" + origin.getLocalPort(),
              Map.of(Setting.UPSTREAM_CONNECT_MS, "200"))) {
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 504").contains("application/problem+json");
      }
    } finally {
      for (Socket socket : filling) {
        socket.close();
      }
    }
  }

  private String answered(String bytes) throws Exception {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxyFixture proxy = in(origin, Map.of())) {
      Thread serving =
          new Thread(
              () -> {
                try {
                  serve(origin, bytes);
                } catch (IOException ended) {
                  // The assertions of the test will fail.
                }
              });
      serving.start();
      String answer = proxy.raw(GET);
      serving.join();
      return answer;
    }
  }

  private ProxyFixture in(ServerSocket origin, Map<Setting, String> settings) {
    return new ProxyFixture(
        folder, ProxyFixture.UNLIMITED, "http://127.0.0.1:" + origin.getLocalPort(), settings);
  }

  /** Reads one head, writes bytes, and closes. */
  private static void serve(ServerSocket origin, String bytes) throws IOException {
    try (Socket socket = origin.accept()) {
      RawOrigin.readHead(socket);
      OutputStream out = socket.getOutputStream();
      out.write(bytes.getBytes(ISO_8859_1));
      out.flush();
    }
  }
}
