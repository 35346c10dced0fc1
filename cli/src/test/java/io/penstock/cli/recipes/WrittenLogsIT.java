package io.penstock.cli.recipes;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.accesslog.LogEntry;
import io.penstock.policy.accesslog.LogFields;
import io.penstock.policy.accesslog.LogOptions;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.testing.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Access logs that real servers write are read without options. */
@Tag("full")
class WrittenLogsIT {
  private static final int REQUESTS = 5;
  private static final String JSON =
      "log_format j escape=json '{\"time\":\"$time_iso8601\",\"remote_addr\":\"$remote_addr\","
          + "\"request\":\"$request\",\"status\":$status}';";

  @TempDir Path folder;

  @Test
  void nginx_combinedAndJson_areRead() throws Exception {
    String program = Program.onPath("nginx");
    int port = Ports.free();
    Files.writeString(
        folder.resolve("nginx.conf"),
        """
        user root;
        daemon off;
        pid nginx.pid;
        error_log stderr;
        events {}
        http {
            %s
            access_log combined.log combined;
            access_log json.log j;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            server { listen 127.0.0.1:%d; location / { return 204; } }
        }
        """
            .formatted(JSON, port));
    try (Running nginx =
        Running.start(
            folder,
            List.of(program, "-p", folder.toString(), "-c", "nginx.conf", "-e", "stderr"))) {
      nginx.listening(port);
      send(port);
      assertThat(read(folder.resolve("combined.log"))).hasSize(REQUESTS);
      assertThat(read(folder.resolve("json.log"))).hasSize(REQUESTS);
    }
  }

  @Test
  void caddy_json_isRead() throws Exception {
    String program = Program.onPath("caddy");
    int port = Ports.free();
    Files.writeString(
        folder.resolve("Caddyfile"),
        """
        {
            admin off
            auto_https off
        }
        http://127.0.0.1:%d {
            log {
                output file access.json
            }
            respond 204
        }
        """
            .formatted(port));
    try (Running caddy = Running.start(folder, List.of(program, "run", "--config", "Caddyfile"))) {
      caddy.listening(port);
      send(port);
      assertThat(read(folder.resolve("access.json"))).hasSize(REQUESTS);
    }
  }

  @Test
  void haproxy_httplog_isRead() throws Exception {
    String program = Program.onPath("haproxy");
    int port = Ports.free();
    Files.writeString(
        folder.resolve("haproxy.cfg"),
        """
        global
            log stdout format raw local0
        defaults
            mode http
            log global
            option httplog
            timeout client 10s
            timeout server 10s
            timeout connect 10s
        frontend front
            bind 127.0.0.1:%d
            http-request return status 204
        """
            .formatted(port));
    try (Running haproxy =
        Running.start(folder, List.of(program, "-db", "-f", "haproxy.cfg")).listening(port)) {
      send(port);
      await("log").until(() -> haproxy.log().split("\\?q=", -1).length > REQUESTS);
      Path log = Files.writeString(folder.resolve("haproxy.log"), haproxy.log());
      assertThat(read(log)).hasSize(REQUESTS);
    }
  }

  private static void send(int port) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < REQUESTS; i++) {
      URI uri = URI.create("http://127.0.0.1:" + port + "/items/" + i + "?q=1");
      HttpResponse<Void> response =
          client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding());
      assertThat(response.statusCode()).isEqualTo(204);
    }
  }

  private static List<LogEntry> read(Path log) {
    await("log").until(() -> Files.exists(log) && Files.readString(log).contains("/items/4"));
    LogStream stream = new LogStream(List.of(LogSource.of(log)), LogOptions.of(LogFields.basic()));
    List<LogEntry> entries = new ArrayList<>();
    stream.forEach(
        entry -> {
          if (String.valueOf(entry.path()).startsWith("/items/")) {
            entries.add(entry);
          }
        });
    assertThat(entries)
        .allMatch(entry -> "127.0.0.1".equals(String.valueOf(entry.address())))
        .allMatch(entry -> "GET".equals(entry.method()) && entry.status() == 204)
        .allMatch(entry -> "1".equals(entry.query("q")));
    return entries;
  }
}
