package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.server.admin.AdminStart;
import io.penstock.server.http.TrustedHosts;
import io.penstock.server.proxy.LoggedWarnings;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartupTest {
  private static final int STARTS = 5;
  private static final int CLIENTS = 2;

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

  /** The admin listener accepts connections before the other listeners are opened. */
  @Test
  void start_failsWhileClientsConnect_logsNoStackTrace() throws Exception {
    int adminPort = freePort();
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> clients = new ArrayList<>();
    try (ServerSocket taken = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        LoggedWarnings warnings = new LoggedWarnings()) {
      Map<Setting, String> settings =
          Map.of(
              Setting.PORT,
              Integer.toString(taken.getLocalPort()),
              Setting.ADMIN_PORT,
              Integer.toString(adminPort));
      for (int i = 0; i < CLIENTS; i++) {
        Thread client = new Thread(() -> connectUntil(over, adminPort), "client");
        client.start();
        clients.add(client);
      }
      for (int i = 0; i < STARTS; i++) {
        assertThatThrownBy(() -> RunningServer.with(settings))
            .isInstanceOf(StartException.class)
            .hasMessageStartingWith("--port: can't listen on port " + taken.getLocalPort() + ": ");
      }
      assertThat(warnings.stackTraces()).isEmpty();
    } finally {
      over.set(true);
      for (Thread client : clients) {
        client.join();
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  private static void connectUntil(AtomicBoolean over, int port) {
    while (!over.get()) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        // A reset, so that no sockets are left.
        socket.setSoLinger(true, 0);
      } catch (IOException notListening) {
        Thread.onSpinWait();
      }
    }
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

  @Test
  void start_warningsOfThePolicy_areLoggedOnceForEachListener(@TempDir Path folder) {
    Path policy =
        RunningServer.write(
            folder, "rules: [{name: r, limit_keys: [account_of_startup], rate: 1/s}]");
    try (LoggedWarnings warnings = new LoggedWarnings();
        RunningServer server =
            RunningServer.with(
                Map.of(
                    Setting.POLICY,
                    policy.toString(),
                    Setting.UPSTREAM,
                    "http://127.0.0.1:1",
                    Setting.PROXY_PORT,
                    "0"))) {
      assertThat(server.server().proxyPort()).isPresent();
      assertThat(warnings.messages())
          .filteredOn(message -> message.contains("account_of_startup"))
          .satisfiesExactly(
              inThePolicy ->
                  assertThat(inThePolicy)
                      .startsWith(policy + ":1:")
                      .contains("warning: ", "is not a part of an HTTP request"),
              decision ->
                  assertThat(decision)
                      .startsWith("decision listener, /v1/forward-auth: rule r never applies: "),
              proxy -> assertThat(proxy).startsWith("proxy listener: rule r never applies: "));
    }
  }
}
