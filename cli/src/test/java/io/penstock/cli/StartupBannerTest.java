package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.PenstockServer;
import io.penstock.server.Setting;
import io.penstock.server.Settings;
import io.penstock.server.SettingsReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StartupBannerTest {
  private static final String CONSOLE = "console on ";

  @Test
  void lines_runningServer_haveTheAddressOfTheConsole() throws Exception {
    Settings settings =
        SettingsReader.read(
            Map.of(Setting.HOST, "127.0.0.1", Setting.PORT, "0", Setting.ADMIN_PORT, "0"),
            Map.of(),
            null);
    try (PenstockServer server = PenstockServer.start(settings)) {
      String line =
          StartupBanner.lines(settings, server).stream()
              .filter(printed -> printed.startsWith(CONSOLE))
              .findFirst()
              .orElseThrow();
      assertThat(line).isEqualTo("console on http://127.0.0.1:" + server.adminPort() + "/");
      HttpResponse<String> page =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(line.substring(CONSOLE.length()))).build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
      assertThat(page.body()).contains("<title>Penstock</title>");
    }
  }
}
