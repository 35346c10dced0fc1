package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that try to leave the buckets of their clients by headers that the origin never gets, or
 * gets twice.
 */
final class ProxyEvasionTest {
  private static final String POLICY =
      """
      rules:
        - {name: key, limit_keys: ["header:x-api-key"], match: {path: /key}, rate: 1/d, burst: 1,
           on_missing_key: share}
        - {name: sid, limit_keys: ["cookie:sid"], match: {path: /sid}, rate: 1/d, burst: 1,
           on_missing_key: share}
        - {name: strict, limit_keys: ["header:x-api-key"], match: {path: /strict}, rate: 9/s,
           on_missing_key: deny}
        - {name: repeated, limit_keys: ["header:x-api-key"], match: {path: /repeated}, rate: 1/d,
           burst: 1}
        - {name: host, limit_keys: [host], match: {path: /host}, rate: 1/d, burst: 1}
      """;

  @TempDir private Path folder;
  private SocketOrigin origin;
  private ProxyFixture proxy;

  @BeforeEach
  void start() throws IOException {
    origin =
        new SocketOrigin(
            (head, connection) -> connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    proxy = new ProxyFixture(folder, POLICY, origin.url());
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    origin.close();
  }

  private int status(String request) throws IOException {
    return Integer.parseInt(proxy.raw(request).substring(9, 12));
  }

  @Test
  void keyHeader_namedInConnection_isMissing() throws IOException {
    String request =
        "GET /key HTTP/1.1\r\nHost: a\r\nConnection: close, X-Api-Key\r\nX-Api-Key: r%d\r\n\r\n";
    assertThat(status(request.formatted(1))).isEqualTo(200);
    assertThat(status(request.formatted(2))).isEqualTo(429);
    assertThat(status(request.replace("/key", "/strict").formatted(3))).isEqualTo(429);
  }

  @Test
  void cookies_namedInConnection_areMissing() throws IOException {
    String request =
        "GET /sid HTTP/1.1\r\nHost: a\r\nConnection: close, cookie\r\nCookie: sid=%d\r\n\r\n";
    assertThat(status(request.formatted(1))).isEqualTo(200);
    assertThat(status(request.formatted(2))).isEqualTo(429);
  }

  @Test
  void keyHeader_repeated_isDenied() throws IOException {
    String request = "GET /repeated HTTP/1.1\r\nHost: a\r\nConnection: close\r\n%s\r\n";
    for (int i = 0; i < 3; i++) {
      String twice = "X-Api-Key: K\r\nx-api-key: r" + i + "\r\n";
      assertThat(proxy.raw(request.formatted(twice)))
          .startsWith("HTTP/1.1 429")
          .containsIgnoringCase("X-Penstock-Reason: missing_key");
    }
    assertThat(origin.accepted()).isZero();
    assertThat(status(request.formatted("X-Api-Key: K\r\n"))).isEqualTo(200);
    assertThat(status(request.formatted("X-Api-Key: K\r\n"))).isEqualTo(429);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Host:\r\n",
        "Host: a:\r\n",
        "Host: :80\r\n",
        "Host: :\r\n",
        "Host: a:b\r\n",
        "Host: a:123456\r\n",
        "Host: a:1:2\r\n",
        "Host: [::1\r\n",
        "Host: [::1]80\r\n",
        "Host: []\r\n",
        "Host: [fe80::1%25eth0]\r\n",
        "Host: a%41\r\n"
      })
  void host_missingOrMalformed_is400(String host) throws IOException {
    assertThat(status("GET /host HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n"))
        .isEqualTo(400);
    assertThat(status("GET /host HTTP/1.0\r\n" + host + "\r\n")).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "A.example", "a_b:80", "127.0.0.1:8000", "[::1]", "[::1]:443"})
  void host_valid_passes(String host) throws IOException {
    assertThat(status("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
        .isEqualTo(200);
    assertThat(status("GET / HTTP/1.0\r\nHost: " + host + "\r\n\r\n")).isEqualTo(200);
  }
}
