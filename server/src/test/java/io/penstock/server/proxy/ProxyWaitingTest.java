package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections to the origin are limited. Requests wait for one for a limited time, and no client
 * takes all.
 */
final class ProxyWaitingTest {
  private static final String POLICY =
      """
      client_address: {trusted_proxies: [127.0.0.0/8]}
      rules:
        - name: all
          limit_keys: [host]
          rate: 1/h
          burst: 100
          refund_on_upstream_error: true
      """;
  private static final String LONG = "1000000000";
  private static final String PART = "x".repeat(1 << 16);

  @TempDir private Path folder;
  private final CountDownLatch over = new CountDownLatch(1);

  /** Responds immediately, never, or with an endless body. */
  private SocketOrigin origin() throws IOException {
    return new SocketOrigin(
        (head, connection) -> {
          if (head.startsWith("GET /tunnel")) {
            connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
            awaitEnd();
            throw new IOException("closed by the script");
          } else if (head.startsWith("GET /never")) {
            awaitEnd();
            throw new IOException("closed by the script");
          } else if (head.startsWith("GET /endless")) {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: " + LONG + "\r\n\r\n");
            while (over.getCount() > 0) {
              connection.send(PART);
            }
          } else {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
          }
        });
  }

  private void awaitEnd() throws IOException {
    try {
      over.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void get(Socket client, String path, String address) throws IOException {
    client
        .getOutputStream()
        .write(
            ("GET "
                    + path
                    + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: "
                    + address
                    + "\r\n\r\n")
                .getBytes(ISO_8859_1));
  }

  private static String answer(ProxyFixture proxy, String path, String address) throws IOException {
    try (Socket client = proxy.connect()) {
      get(client, path, address);
      return RunningServer.rest(client);
    }
  }

  @Test
  void noConnectionInTime_is503WithRetryAfter_andRefunded() throws Exception {
    try (SocketOrigin origin = origin();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                POLICY,
                origin.url(),
                Map.of(Setting.UPSTREAM_CONNECTIONS, "1", Setting.UPSTREAM_QUEUE_MS, "2000"));
        Socket slow = proxy.connect()) {
      get(slow, "/never", "192.0.2.1");
      await().until(() -> origin.accepted() == 1);
      assertThat(answer(proxy, "/", "192.0.2.2"))
          .startsWith("HTTP/1.1 503")
          .containsIgnoringCase("\r\nRetry-After: 2\r\n")
          .contains("No connection to the origin became free in time");
      assertThat(proxy.metric("penstock_proxy_refunded_total")).isEqualTo(1);
      assertThat(proxy.metric("penstock_proxy_unavailable_total")).isEqualTo(1);
    } finally {
      over.countDown();
    }
  }

  @Test
  void queueFull_is503WithRetryAfter() throws Exception {
    try (SocketOrigin origin = origin();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                POLICY,
                origin.url(),
                Map.of(Setting.UPSTREAM_CONNECTIONS, "1", Setting.UPSTREAM_QUEUE, "0"));
        Socket slow = proxy.connect()) {
      get(slow, "/never", "192.0.2.1");
      await().until(() -> origin.accepted() == 1);
      assertThat(answer(proxy, "/", "192.0.2.2"))
          .startsWith("HTTP/1.1 503")
          .containsIgnoringCase("\r\nRetry-After: 5\r\n");
    } finally {
      over.countDown();
    }
  }

  /** Requests that no longer wait leave their places, and their clients' shares, to others. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void waitingRequestsLeave_theirSlotsAreFree(boolean timedOut) throws Exception {
    int queue = 3;
    List<Socket> left = new ArrayList<>();
    try (SocketOrigin origin = origin();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                POLICY,
                origin.url(),
                Map.of(
                    Setting.UPSTREAM_CONNECTIONS,
                    "1",
                    Setting.UPSTREAM_QUEUE,
                    Integer.toString(queue),
                    Setting.UPSTREAM_QUEUE_MS,
                    timedOut ? "500" : "60000"));
        Socket slow = proxy.connect();
        Socket next = proxy.connect()) {
      get(slow, "/never", "192.0.2.1");
      await().until(() -> origin.accepted() == 1);
      for (int i = 0; i < queue; i++) {
        Socket client = proxy.connect();
        left.add(client);
        get(client, "/", "192.0.2." + (i + 2));
      }
      if (timedOut) {
        for (Socket client : left) {
          assertThat(RunningServer.rest(client)).contains("became free in time");
        }
        assertThat(answer(proxy, "/", "192.0.2.2")).contains("became free in time");
      } else {
        await().until(() -> proxy.metric("penstock_proxy_in_flight") == queue + 1);
        assertThat(answer(proxy, "/", "192.0.2.9")).contains("Too many requests are waiting");
        for (Socket client : left) {
          client.close();
        }
        await().until(() -> proxy.metric("penstock_proxy_in_flight") == 1);
        get(next, "/", "192.0.2.2");
        await().until(() -> proxy.metric("penstock_proxy_in_flight") == 2);
        over.countDown();
        assertThat(RunningServer.rest(next)).startsWith("HTTP/1.1 200").endsWith("ok");
      }
    } finally {
      over.countDown();
      for (Socket client : left) {
        client.close();
      }
    }
  }

  @Test
  void clientsThatReadNothing_areReset_andOthersAreServed() throws Exception {
    int connections = 4;
    List<Socket> slow = new ArrayList<>();
    try (SocketOrigin origin = origin();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                POLICY,
                origin.url(),
                Map.of(
                    Setting.UPSTREAM_CONNECTIONS,
                    Integer.toString(connections),
                    Setting.UPSTREAM_QUEUE_MS,
                    "60000",
                    Setting.CLIENT_STALL_MS,
                    "500"))) {
      for (int i = 0; i < connections; i++) {
        Socket client = proxy.connect();
        slow.add(client);
        get(client, "/endless", "192.0.2." + i);
      }
      await().until(() -> origin.accepted() == connections);
      assertThat(answer(proxy, "/", "192.0.2.100")).startsWith("HTTP/1.1 200").endsWith("ok");
      await().until(() -> proxy.metric("penstock_proxy_slow_clients_total") == connections);
      await().until(() -> origin.open() <= 1);
    } finally {
      over.countDown();
      for (Socket client : slow) {
        client.close();
      }
    }
  }

  /** A client that keeps reading gets its whole response, however long it is blocked in total. */
  @Test
  void clientThatReadsSlowly_getsItsResponse() throws Exception {
    try (SocketOrigin origin = origin();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                POLICY,
                origin.url(),
                Map.of(Setting.CLIENT_STALL_MS, "3000", Setting.CLIENT_MIN_RATE, "1"));
        Socket client = proxy.connect()) {
      get(client, "/endless", "192.0.2.1");
      byte[] bytes = client.getInputStream().readNBytes(8 << 20);
      assertThat(bytes).hasSize(8 << 20);
      assertThat(proxy.metric("penstock_proxy_slow_clients_total")).isZero();
    } finally {
      over.countDown();
    }
  }

  /** A client that keeps reading is reset all the same if it reads too little. */
  @Test
  void clientThatReadsBelowTheMinRate_isReset() throws Exception {
    try (SocketOrigin origin = origin();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                POLICY,
                origin.url(),
                Map.of(
                    Setting.CLIENT_STALL_MS,
                    "2000",
                    Setting.CLIENT_MIN_RATE,
                    Integer.toString(1 << 30)));
        Socket client = proxy.connect()) {
      get(client, "/endless", "192.0.2.1");
      InputStream response = client.getInputStream();
      // Reads a part every few milliseconds.
      await("reset").until(() -> !hasPart(response));
      await().until(() -> proxy.metric("penstock_proxy_slow_clients_total") == 1);
      await().until(() -> origin.open() == 0);
    } finally {
      over.countDown();
    }
  }

  private static boolean hasPart(InputStream response) {
    try {
      return response.readNBytes(PART.length()).length == PART.length();
    } catch (IOException reset) {
      return false;
    }
  }

  private ProxyFixture proxyWithShare(SocketOrigin origin, String connectionsPerClient) {
    return new ProxyFixture(
        folder,
        POLICY,
        origin.url(),
        Map.of(
            Setting.UPSTREAM_CONNECTIONS,
            "8",
            Setting.UPSTREAM_CONNECTIONS_PER_CLIENT,
            connectionsPerClient,
            Setting.UPSTREAM_QUEUE_MS,
            "2000"));
  }

  @Test
  void clientAtItsShare_waits_whileOthersAreServed() throws Exception {
    try (SocketOrigin origin = origin();
        ProxyFixture proxy = proxyWithShare(origin, "2");
        Socket first = proxy.connect();
        Socket second = proxy.connect()) {
      get(first, "/never", "192.0.2.1");
      get(second, "/never", "192.0.2.1");
      await().until(() -> origin.accepted() == 2);
      assertThat(answer(proxy, "/", "192.0.2.1"))
          .startsWith("HTTP/1.1 503")
          .contains("Too many requests of this client are in flight to the origin");
      assertThat(answer(proxy, "/", "192.0.2.2")).startsWith("HTTP/1.1 200").endsWith("ok");
      over.countDown();
      await().until(() -> answers(proxy, "192.0.2.1").startsWith("HTTP/1.1 200"));
    } finally {
      over.countDown();
    }
  }

  @Test
  void clientWithTunnels_keepsItsShareUntilTheyClose() throws Exception {
    try (SocketOrigin origin = origin();
        ProxyFixture proxy = proxyWithShare(origin, "1")) {
      try (Socket tunnel = proxy.connect()) {
        String upgrade = "Connection: Upgrade\r\nUpgrade: x\r\n";
        String client = "X-Forwarded-For: 192.0.2.1\r\n";
        tunnel
            .getOutputStream()
            .write(
                ("GET /tunnel HTTP/1.1\r\nHost: a\r\n" + upgrade + client + "\r\n")
                    .getBytes(ISO_8859_1));
        byte[] start = tunnel.getInputStream().readNBytes(12);
        assertThat(new String(start, ISO_8859_1)).isEqualTo("HTTP/1.1 101");
        assertThat(answer(proxy, "/", "192.0.2.1"))
            .startsWith("HTTP/1.1 503")
            .contains("Too many requests of this client are in flight to the origin");
        assertThat(answer(proxy, "/", "192.0.2.2")).startsWith("HTTP/1.1 200").endsWith("ok");
      }
      await().until(() -> answers(proxy, "192.0.2.1").startsWith("HTTP/1.1 200"));
    } finally {
      over.countDown();
    }
  }

  @Test
  void addressesOfOneIpv6Network_shareTheConnectionsOfAClient() throws Exception {
    try (SocketOrigin origin = origin();
        ProxyFixture proxy = proxyWithShare(origin, "1");
        Socket first = proxy.connect()) {
      get(first, "/never", "2001:db8::1");
      await().until(() -> origin.accepted() == 1);
      assertThat(answer(proxy, "/", "2001:db8::2")).startsWith("HTTP/1.1 503");
      assertThat(answer(proxy, "/", "2001:db8:0:1::2")).startsWith("HTTP/1.1 200");
    } finally {
      over.countDown();
    }
  }

  private static String answers(ProxyFixture proxy, String address) {
    try {
      return answer(proxy, "/", address);
    } catch (IOException e) {
      return "";
    }
  }

  /** Many requests of one client are all served, a share at a time. */
  @Test
  void manyRequestsOfOneClient_areServedOneAfterTheOther() throws Exception {
    List<Socket> clients = new ArrayList<>();
    try (SocketOrigin origin = origin();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                POLICY.replace("burst: 100", "burst: 1000"),
                origin.url(),
                Map.of(Setting.UPSTREAM_CONNECTIONS, "2", Setting.UPSTREAM_QUEUE_MS, "60000"))) {
      for (int i = 0; i < 200; i++) {
        Socket client = proxy.connect();
        clients.add(client);
        get(client, "/", "192.0.2.1");
      }
      for (Socket client : clients) {
        assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 200").endsWith("ok");
      }
      assertThat(origin.accepted()).isLessThanOrEqualTo(2);
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }
}
