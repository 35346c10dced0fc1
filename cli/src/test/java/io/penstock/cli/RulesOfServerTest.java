package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tests how {@code penstock rules} connects to the admin listener of a server. */
final class RulesOfServerTest {
  private final StringWriter err = new StringWriter();

  @Test
  void token_withALineBreak_isReportedWithoutTheToken() {
    int status = run(Map.of("PENSTOCK_ADMIN_TOKEN", "secret\nX: y"), "http://localhost:9");

    assertThat(status).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("penstock: PENSTOCK_ADMIN_TOKEN must ")
        .doesNotContain("secret")
        .doesNotContain("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/admin", "/admin/"})
  void server_withAPath_isUsedAsBaseUrl(String path) throws IOException {
    HttpServer listener =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    listener.createContext(
        "/admin/v1/rules",
        exchange -> {
          byte[] none = "{\"rules\":[]}".getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(200, none.length);
          exchange.getResponseBody().write(none);
          exchange.close();
        });
    listener.start();
    try {
      assertThat(run(Map.of(), "http://127.0.0.1:" + listener.getAddress().getPort() + path))
          .as(err.toString())
          .isZero();
    } finally {
      listener.stop(0);
    }
  }

  private int run(Map<String, String> variables, String server) {
    Console console =
        new Console(
            new PrintWriter(new StringWriter(), true),
            new PrintWriter(err, true),
            new ByteArrayInputStream(new byte[0]));
    return new CommandLine(new RulesCommand(console, variables))
        .setErr(console.err())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(new UsageErrors())
        .execute("export", "--server=" + server);
  }
}
