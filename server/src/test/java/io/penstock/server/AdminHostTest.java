package io.penstock.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Web pages can't reach the admin listener through a browser on this machine. */
class AdminHostTest {
  private static final String TOKEN = "0123456789abcdef";

  private static String ask(RunningServer server, String head) throws IOException {
    return askWith(server, head, "");
  }

  private static String askWith(RunningServer server, String head, String body) throws IOException {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), server.server().adminPort())) {
      socket.setSoTimeout(20_000);
      socket
          .getOutputStream()
          .write((head + "Connection: close\r\n\r\n" + body).getBytes(ISO_8859_1));
      return RunningServer.rest(socket);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/metrics", "/readyz", "/livez", "/v1/policy", "/v1/openapi.yaml"})
  void get_hostOfAWebPage_is421(String path) throws IOException {
    try (RunningServer server = RunningServer.with(Map.of())) {
      assertThat(ask(server, "GET " + path + " HTTP/1.1\r\nHost: evil.example:9090\r\n"))
          .startsWith("HTTP/1.1 421 ")
          .contains("application/problem+json", "admin_hosts")
          .doesNotContain("penstock_", "\"rules\"");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.0.2.1",
        "0.0.0.0",
        "evil.example#localhost",
      })
  void get_otherHosts_areRejected(String host) throws IOException {
    try (RunningServer server = RunningServer.with(Map.of())) {
      assertThat(ask(server, "GET /v1/policy HTTP/1.1\r\nHost: " + host + "\r\n"))
          .matches("(?s)HTTP/1.1 4(21|00) .*");
      // The host of the target takes precedence over that of the header.
      assertThat(ask(server, "GET http://" + host + "/v1/policy HTTP/1.1\r\nHost: localhost\r\n"))
          .doesNotStartWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void get_severalHosts_areRejected() throws IOException {
    try (RunningServer server = RunningServer.with(Map.of())) {
      assertThat(
              ask(server, "GET /v1/policy HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n"))
          .startsWith("HTTP/1.1 421 ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LocalHost:9090",
        "localhost.",
        "127.0.0.1:9090",
        "127.9.9.9",
        "[::1]:9090",
        "penstock.localhost",
        "admin.internal:9090",
      })
  void get_ownHosts_areAnswered(String host) throws IOException {
    try (RunningServer server = RunningServer.with(Map.of(Setting.ADMIN_HOSTS, "admin.internal"))) {
      assertThat(ask(server, "GET /v1/policy HTTP/1.1\r\nHost: " + host + "\r\n"))
          .startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void get_probeWithoutHost_isAnswered() throws IOException {
    try (RunningServer server = RunningServer.with(Map.of())) {
      assertThat(ask(server, "GET /livez HTTP/1.0\r\n")).contains(" 200 ");
    }
  }

  @Test
  void get_pageOfAnotherOrigin_is403() throws IOException {
    try (RunningServer server = RunningServer.with(Map.of())) {
      String get = "GET /v1/policy HTTP/1.1\r\nHost: localhost\r\n";
      assertThat(ask(server, get + "Origin: https://evil.example\r\n")).startsWith("HTTP/1.1 403 ");
      assertThat(ask(server, get + "Origin: null\r\n")).startsWith("HTTP/1.1 403 ");
      assertThat(ask(server, get + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"))
          .startsWith("HTTP/1.1 403 ");

      assertThat(ask(server, get + "Origin: http://localhost\r\n")).startsWith("HTTP/1.1 200 ");
      assertThat(ask(server, get + "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"))
          .startsWith("HTTP/1.1 200 ");
      assertThat(ask(server, get + "Sec-Fetch-Site: same-origin\r\n")).startsWith("HTTP/1.1 200 ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/console/main.js", "/console/none"})
  void get_consoleForTheHostOfAWebPage_is421EvenWithTokens(String path) throws IOException {
    try (RunningServer server = RunningServer.with(Map.of(Setting.ADMIN_TOKEN, TOKEN))) {
      assertThat(ask(server, "GET " + path + " HTTP/1.1\r\nHost: evil.example:9090\r\n"))
          .startsWith("HTTP/1.1 421 ")
          .doesNotContain("import ", "<!doctype");
    }
  }

  /** Without tokens, the pages of the console may change something, and no other page may. */
  @Test
  void post_fromPages_isAcceptedFromTheConsoleOnly() throws IOException {
    try (RunningServer server = RunningServer.with(Map.of())) {
      String post =
          "POST /v1/mode HTTP/1.1\r\nHost: localhost:9090\r\nContent-Length: 17\r\nOrigin: ";
      String body = "{\"mode\":\"policy\"}";
      assertThat(askWith(server, post + "http://localhost:9090\r\n", body))
          .startsWith("HTTP/1.1 200 ");
      assertThat(
              askWith(
                  server, post + "http://localhost:9090\r\nSec-Fetch-Site: same-origin\r\n", body))
          .startsWith("HTTP/1.1 200 ");
      for (String origin :
          new String[] {
            "http://localhost:8080",
            "http://127.0.0.1:9090",
            "http://evil.example",
            "null",
            "http://localhost:9090\r\nSec-Fetch-Site: same-site",
          }) {
        assertThat(askWith(server, post + origin + "\r\n", body))
            .as(origin)
            .startsWith("HTTP/1.1 403 ");
      }
    }
  }

  @Test
  void get_withToken_mayBeForAnyHost() throws IOException {
    try (RunningServer server = RunningServer.with(Map.of(Setting.ADMIN_TOKEN, TOKEN))) {
      String host = "Host: admin.internal\r\n";
      assertThat(
              ask(
                  server,
                  "GET /v1/policy HTTP/1.1\r\n" + host + "Authorization: Bearer " + TOKEN + "\r\n"))
          .startsWith("HTTP/1.1 200 ");
      assertThat(ask(server, "GET /metrics HTTP/1.1\r\n" + host)).startsWith("HTTP/1.1 421 ");
    }
  }
}
