package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.admin.AdminStart;
import io.penstock.server.http.TrustedHosts;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartupTest {
  @Test
  void adminStart_processStarting_isLiveButNotReady() {
    Vertx vertx = Vertx.vertx();
    try {
      int port =
          vertx
              .createHttpServer()
              .requestHandler(new AdminStart(new TrustedHosts("127.0.0.1", List.of())))
              .listen(0, "127.0.0.1")
              .await()
              .actualPort();

      assertThat(get(port, "/livez").statusCode()).isEqualTo(200);
      HttpResponse<String> ready = get(port, "/readyz");
      assertThat(ready.statusCode()).isEqualTo(503);
      assertThat(ready.body()).isEqualTo("{\"ready\":false,\"starting\":true}");
      assertThat(get(port, "/v1/policy").statusCode()).isEqualTo(503);
      assertThat(get(port, "/metrics").statusCode()).isEqualTo(503);
    } finally {
      vertx.close().await();
    }
  }

  private static HttpResponse<String> get(int port, String path) {
    return RunningServer.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)));
  }

  @Test
  void start_warmUp_countsNothing(@TempDir Path folder) {
    String policy = "rules: [{name: all, limit_keys: [], rate: 1/h, burst: 2}]";
    try (RunningServer server = RunningServer.serving(folder, policy)) {
      assertThat(server.admin("/metrics").body().lines())
          .filteredOn(
              line ->
                  line.startsWith("penstock_decisions_total")
                      || line.startsWith("penstock_decision_seconds_count"))
          .allMatch(line -> line.endsWith(" 0") || line.endsWith(" 0.0"));
      assertThat(server.check("{}").body()).contains("\"remaining\":1,");
    }
  }
}
