package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * As many clients as there are connections to the origin don't read their responses, with default
 * settings.
 */
@Tag("full")
final class ProxySlowReadersIT {
  /** The default of {@code upstream_connections}. */
  private static final int CONNECTIONS = 256;

  private static final String POLICY =
      """
      client_address: {trusted_proxies: [127.0.0.0/8]}
      rules:
        - {name: all, limit_keys: ["ip:address"], rate: 1000/s, burst: 1000}
      """;
  private static final String PART = "x".repeat(1 << 16);

  @TempDir private Path folder;
  private final CountDownLatch over = new CountDownLatch(1);
  private final List<Socket> slow = new ArrayList<>();
  private SocketOrigin origin;
  private ProxyFixture proxy;

  @BeforeEach
  void start() throws IOException {
    origin =
        new SocketOrigin(
            (head, connection) -> {
              if (head.startsWith("GET /endless")) {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
                while (over.getCount() > 0) {
                  connection.send(PART);
                }
              } else {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
              }
            });
    proxy = new ProxyFixture(folder, POLICY, origin.url());
  }

  @AfterEach
  void stop() throws IOException {
    over.countDown();
    for (Socket client : slow) {
      client.close();
    }
    proxy.close();
    origin.close();
  }

  @Test
  void slowReadersOfOneClient_leaveConnectionsToOthers() throws IOException {
    read(i -> "192.0.2.1");
    await().until(() -> origin.accepted() == CONNECTIONS / 2);

    assertThat(answer("198.51.100.1")).startsWith("HTTP/1.1 200").endsWith("ok");
  }

  @Test
  void slowReadersOfManyClients_areReset_andOthersGetAnAnswerMeanwhile() throws IOException {
    read(i -> "192.0." + i / 250 + "." + (1 + i % 250));
    await().until(() -> origin.accepted() == CONNECTIONS);

    String first = answer("198.51.100.1");
    if (proxy.metric("penstock_proxy_slow_clients_total") == 0) {
      assertThat(first).startsWith("HTTP/1.1 503").containsIgnoringCase("\r\nRetry-After: ");
    }
    await().until(() -> answer("198.51.100.1").startsWith("HTTP/1.1 200"));
    await().until(() -> proxy.metric("penstock_proxy_slow_clients_total") == CONNECTIONS);
    await().until(() -> origin.open() <= 1);
  }

  private void read(IntFunction<String> address) throws IOException {
    for (int i = 0; i < CONNECTIONS; i++) {
      Socket client = proxy.connect();
      slow.add(client);
      get(client, "/endless", address.apply(i));
    }
  }

  private static void get(Socket client, String path, String address) throws IOException {
    String request =
        "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: %s\r\n\r\n";
    client.getOutputStream().write(request.formatted(path, address).getBytes(ISO_8859_1));
  }

  private String answer(String address) throws IOException {
    try (Socket client = proxy.connect()) {
      get(client, "/", address);
      return RunningServer.rest(client);
    }
  }
}
