package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules see the headers that the origin receives. */
final class ProxyRuleHeadersTest {
  private static final String ONE = "{name: one, limit_keys: [], rate: 1/d, burst: 1%s}";

  @TempDir private Path folder;

  /** Returns whether the second of two equal requests is denied. */
  private boolean isLimited(String policy, String headers) throws IOException {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
        ProxyFixture proxy = new ProxyFixture(folder, policy, origin.url())) {
      String request = "GET / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
      assertThat(proxy.raw(request)).startsWith("HTTP/1.1 200");
      return proxy.raw(request).startsWith("HTTP/1.1 429");
    }
  }

  private static String matching(String match) {
    return "rules: [" + ONE.formatted(", match: {" + match + "}") + "]";
  }

  private static String exempting(String match) {
    return "exempt: [{match: {" + match + "}}]\nrules: [" + ONE.formatted("") + "]";
  }

  @Test
  void upgrade_listedByConnection_isMatched() throws IOException {
    assertThat(
            isLimited(
                matching("'header:upgrade': websocket"),
                "Connection: close, Upgrade\r\nUpgrade: websocket\r\n"))
        .isTrue();
  }

  /** A request whose upgrade is not forwarded is an ordinary one to the origin. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection: close\r\nUpgrade: websocket\r\n",
        "Connection: close, Upgrade\r\nContent-Length: 1\r\nUpgrade: websocket\r\n"
      })
  void upgrade_notForwarded_isNotMatched(String headers) throws IOException {
    String body = headers.contains("Content-Length") ? "\r\na" : "";
    assertThat(isLimited(exempting("'header:upgrade': websocket"), headers + body)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Real-IP",
        "X-Forwarded-For",
        "X-Forwarded-Proto",
        "X-Forwarded-Prefix",
        "CF-Connecting-IP",
        "Forwarded",
        "X-Original-URL"
      })
  void forwardingHeader_ofAnUntrustedClient_exemptsNothing(String name) throws IOException {
    assertThat(
            isLimited(
                exempting("'header:" + name + "': sent"),
                "Connection: close\r\n" + name + ": sent\r\n"))
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "x-real-ip, 127.0.0.1",
    "x-forwarded-for, 127.0.0.1",
    "x-forwarded-proto, http",
    "x-forwarded-host, a"
  })
  void forwardingHeader_ofAnUntrustedClient_hasTheForwardedValue(String name, String value)
      throws IOException {
    assertThat(
            isLimited(
                matching("'header:" + name + "': " + value),
                "Connection: close\r\n" + name + ": sent\r\n"))
        .isTrue();
  }

  @Test
  void forwardingHeader_ofATrustedProxy_isSeen() throws IOException {
    assertThat(
            isLimited(
                "client_address: {trusted_proxies: [127.0.0.0/8]}\n"
                    + matching("'header:x-forwarded-proto': https"),
                "Connection: close\r\nX-Forwarded-Proto: https\r\n"))
        .isTrue();
  }
}
