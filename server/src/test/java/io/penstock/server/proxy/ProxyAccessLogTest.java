package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.server.Setting;
import io.penstock.server.StartException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProxyAccessLogTest {
  private static final String ONE =
      """
      rules:
        - {name: one, limit_keys: [], match: {path: /one}, rate: 1/h, burst: 1}
      """;

  @TempDir private Path folder;

  @Test
  void log_eachKindOfRequest_hasALine() throws Exception {
    Path file = folder.resolve("access.log");
    try (TestOrigin origin =
            new TestOrigin(request -> request.response().setStatusCode(203).end("hello"));
        ProxyFixture proxy =
            new ProxyFixture(folder, ONE, origin.url(), settings(file, "combined"))) {
      proxy.raw(get("/one?q=1"));
      proxy.raw(get("/one"));
      proxy.raw(get("/free"));
      proxy.raw("GET http://other/ HTTP/1.1\r\nHost: a\r\n\r\n");
      proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: x\" 200\r\nConnection: close, a\r\n\r\n");
    }
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(5);
    assertThat(of("GET /one?q=1 ", lines))
        .matches(
            "127\\.0\\.0\\.1 - - \\[.*\\] \"GET /one\\?q=1 HTTP/1\\.1\" 203 5 \"-\" \"-\""
                + " allowed \"one\" 0 203 \\d+\\.\\d{3} \"[0-9a-f]{32}\" -");
    assertThat(of("GET /one ", lines))
        .contains("\"GET /one HTTP/1.1\" 429 ")
        .contains(" denied \"one\" 0 - ");
    assertThat(of("GET /free ", lines))
        .contains("\"GET /free HTTP/1.1\" 203 5 ")
        .contains(" allowed \"-\" - 203 ");
    assertThat(of("GET http://other/ ", lines))
        .contains("\"GET http://other/ HTTP/1.1\" 400 ")
        .contains(" - \"-\" - - ");
    assertThat(of("GET / ", lines)).contains("\"x\\x22 200\" allowed");
  }

  /** Clients get their responses before they are logged, so the order of lines may differ. */
  private static String of(String request, List<String> lines) {
    return lines.stream().filter(line -> line.contains(request)).findFirst().orElseThrow();
  }

  @Test
  void log_originUnreachable_hasNoUpstreamStatus() throws Exception {
    Path file = folder.resolve("access.log");
    try (ProxyFixture proxy =
        new ProxyFixture(folder, ONE, "http://127.0.0.1:1", settings(file, "json"))) {
      proxy.raw(get("/one"));
    }
    assertThat(Files.readString(file))
        .contains("\"status\":502")
        .contains("\"upstream_status\":null")
        .contains("\"decision\":\"allowed\"");
  }

  @Test
  void file_notWritable_startFails() {
    Path nowhere = folder.resolve("none").resolve("access.log");
    assertThatThrownBy(
            () -> new ProxyFixture(folder, ONE, "http://127.0.0.1:1", settings(nowhere, "json")))
        .isInstanceOf(StartException.class)
        .hasMessageStartingWith("--access-log-file: can't be written: ");
  }

  private static String get(String target) {
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  }

  private static Map<Setting, String> settings(Path file, String form) {
    return Map.of(Setting.ACCESS_LOG, form, Setting.ACCESS_LOG_FILE, file.toString());
  }
}
