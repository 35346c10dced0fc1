package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers that must not be forwarded unchanged. */
final class ProxyHeadersTest {
  private static final String TRUSTING =
      "client_address: {trusted_proxies: [127.0.0.0/8]}\n" + ProxyFixture.UNLIMITED;

  @TempDir private Path folder;

  /** Returns what the origin receives, in lower case. */
  private String reached(String policy, String... headers) throws IOException {
    return reached(Map.of(), policy, headers);
  }

  private String reached(Map<Setting, String> settings, String policy, String... headers)
      throws IOException {
    AtomicReference<String> seen = new AtomicReference<>("");
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) -> {
                  seen.set(head.toLowerCase(Locale.ROOT));
                  connection.send("HTTP/1.1 204 No Content\r\n\r\n");
                });
        ProxyFixture proxy = new ProxyFixture(folder, policy, origin.url(), settings)) {
      String request =
          "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
              + String.join("\r\n", headers)
              + "\r\n\r\n";
      assertThat(proxy.raw(request)).startsWith("HTTP/1.1 204");
      return seen.get();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ProxyFixture.UNLIMITED,
        "rules: [{name: a, limit_keys: [], match: {path: /a}, rate: 1/s}]"
      })
  void degradationStatedByTheOrigin_isDropped(String policy) throws IOException {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(
                        "HTTP/1.1 204 No Content\r\nPenstock-Degraded: origin\r\n\r\n"));
        ProxyFixture proxy = new ProxyFixture(folder, policy, origin.url())) {
      assertThat(proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
          .startsWith("HTTP/1.1 204")
          .doesNotContainIgnoringCase("penstock-degraded");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X_Forwarded_For",
        "x_forwarded-for",
        "X.Forwarded.For",
        "X_Forwarded_Proto",
        "X_Forwarded_Host",
        "X_Forwarded_Port",
        "X_Real_IP",
        "X_Request_Id",
        "X-Original-URL",
        "X_Original_URL",
        "X-Original-URI",
        "X-Original-Method",
        "X-Host-Override",
        "X-Rewrite-URL",
        "X_REWRITE_URL",
        "Content_Length",
        "Transfer_Encoding",
        "Proxy"
      })
  void headerThatMisleadsTheOrigin_isAlwaysDropped(String name) throws IOException {
    for (String policy : new String[] {ProxyFixture.UNLIMITED, TRUSTING}) {
      for (String underscores : new String[] {"drop", "pass"}) {
        assertThat(
                reached(Map.of(Setting.UNDERSCORE_HEADERS, underscores), policy, name + ": evil"))
            .isNotEmpty()
            .doesNotContain("evil");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Forwarded-For",
        "X-Forwarded-Prefix",
        "X-Forwarded-Uri",
        "X-Forwarded-Ssl",
        "X-Client-IP",
        "X-Cluster-Client-IP",
        "CF-Connecting-IP",
        "CF-Pseudo-IPv4",
        "CloudFront-Viewer-Address",
        "True-Client-IP",
        "Client-IP",
        "Forwarded-For",
        "X-Original-Forwarded-For",
        "X-Envoy-External-Address",
        "Fastly-Client-IP",
        "X-Azure-ClientIP",
        "X-ProxyUser-Ip",
        "X-Forwarded",
        "X-Forward-For",
        "Forwarded",
        "X-Real-IP",
        "Front-End-Https"
      })
  void headerOfAProxy_isForwardedFromTrustedProxiesOnly(String name) throws IOException {
    assertThat(reached(ProxyFixture.UNLIMITED, name + ": 192.0.2.66"))
        .isNotEmpty()
        .doesNotContain("192.0.2.66");
    // The proxy always sets or drops these two.
    if (!name.equals("Forwarded") && !name.equals("X-Real-IP")) {
      assertThat(reached(TRUSTING, name + ": 192.0.2.66")).contains("192.0.2.66");
    }
  }

  @Test
  void headersOfTheApplication_areForwarded() throws IOException {
    assertThat(
            reached(
                ProxyFixture.UNLIMITED, "X-Api-Key: k1", "From: k3", "Pragma: k4", "Client: k5"))
        .contains("x-api-key: k1", "from: k3", "pragma: k4", "client: k5");
  }

  @Test
  void underscoreHeaders_pass_areForwarded() throws IOException {
    assertThat(
            reached(
                Map.of(Setting.UNDERSCORE_HEADERS, "pass"), ProxyFixture.UNLIMITED, "x_custom: k2"))
        .contains("x_custom: k2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"X_Api_Key", "X-Api_Key", "x.api.key", "X~Api-Key"})
  void variantOfAKeyHeader_isDropped(String name) throws IOException {
    String policy = ProxyFixture.UNLIMITED.replace("ip:address", "header:x-api-key");
    for (String trust : new String[] {"", "client_address: {trusted_proxies: [127.0.0.0/8]}\n"}) {
      assertThat(reached(trust + policy, "X-Api-Key: counted", name + ": evil"))
          .contains("x-api-key: counted")
          .doesNotContain("evil");
    }
  }

  @Test
  void variantOfAKeyHeader_pass_isDenied() throws Exception {
    String policy = ProxyFixture.UNLIMITED.replace("ip:address", "header:x-api-key");
    Map<Setting, String> pass = Map.of(Setting.UNDERSCORE_HEADERS, "pass");
    try (SocketOrigin origin =
            new SocketOrigin((head, connection) -> connection.send("HTTP/1.1 204 No\r\n\r\n"));
        ProxyFixture proxy = new ProxyFixture(folder, policy, origin.url(), pass)) {
      assertThat(
              proxy.raw(
                  "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX_Api_Key: evil\r\n\r\n"))
          .startsWith("HTTP/1.1 429");
      assertThat(origin.accepted()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip, chunked", "chunked, gzip", "gzip", "identity", "x-chunked"})
  void transferCodingOtherThanChunked_is400(String coding) throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin((head, connection) -> connection.send("HTTP/1.1 204 No\r\n\r\n"));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(
              proxy.raw(
                  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                      + coding
                      + "\r\n\r\n2\r\nab\r\n0\r\n\r\n"))
          .startsWith("HTTP/1.1 400");
      assertThat(origin.accepted()).isZero();
    }
  }

  @SuppressWarnings("StringConcatToTextBlock") // Lines end with CRLF.
  @ParameterizedTest
  @CsvSource({"all,0", "draft,0", "legacy,0", "x-ratelimit,0", "none,8"})
  void rateLimitHeadersOfTheOrigin_areReplacedByOurs(String form, int left) throws Exception {
    try (SocketOrigin origin =
            new SocketOrigin(
                (head, connection) ->
                    connection.send(
                        "HTTP/1.1 204 No Content\r\nRateLimit: origins\r\n"
                            + "RateLimit-Policy: origins\r\nRateLimit-Limit: origins\r\n"
                            + "RateLimit-Remaining: origins\r\nRateLimit-Reset: origins\r\n"
                            + "X-RateLimit-Limit: origins\r\nX-RateLimit-Remaining: origins\r\n"
                            + "X-RateLimit-Reset: origins\r\nRetry-After: 7\r\n\r\n"));
        ProxyFixture proxy =
            new ProxyFixture(
                folder, ProxyFixture.UNLIMITED, origin.url(), Map.of(Setting.HEADERS, form))) {
      String answer = proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertThat(answer.split("origins", -1)).hasSize(left + 1);
      assertThat(answer).containsIgnoringCase("retry-after: 7");
    }
  }
}
