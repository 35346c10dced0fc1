package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.penstock.cli.deploy.Compose;
import io.penstock.cli.recipes.Program;
import io.penstock.redis.RedisProcess;
import io.penstock.testing.Ports;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs deploy/docker/compose.yaml as local processes: the same variables, policy and nginx
 * configuration, with other addresses.
 */
@Tag("full")
class ComposeIT {
  private static final Path DOCKER = Path.of("..", "deploy", "docker");

  /** The settings of the nginx image, with paths that the current user can write. */
  private static final String LOCAL_PATHS =
      """
      http {
          access_log off;
          client_body_temp_path body;
          proxy_temp_path proxy;
          fastcgi_temp_path fastcgi;
          uwsgi_temp_path uwsgi;
          scgi_temp_path scgi;
      """;

  @TempDir Path folder;

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void requests_throughNginx_areLimitedByBothNodesTogether() throws Exception {
    String nginx = Program.onPath("nginx");
    try (RedisProcess redis = RedisProcess.start();
        EmbeddedPostgres postgres =
            EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
        Origin origin = new Origin();
        Node one = start("penstock-1", redis, postgres, origin);
        Node two = start("penstock-2", redis, postgres, origin)) {
      await("both nodes use Redis").until(() -> !one.isDegraded() && !two.isDegraded());
      int port = Ports.free();
      try (JarRun front = JarRun.startCommand(folder, nginx(nginx, port, one, two))) {
        await("nginx").until(() -> answers(front, port));

        for (int i = 0; i < 5; i++) {
          assertThat(get(port).statusCode()).as("request %d", i).isEqualTo(200);
        }
        HttpResponse<String> denied = get(port);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Retry-After")).isPresent();
        assertThat(one.decisions()).isPositive();
        assertThat(two.decisions()).isPositive();
        assertThat(one.decisions() + two.decisions()).isEqualTo(6);
        await("recorded in the database").until(() -> denied(postgres) == 1);

        one.kill();
        assertThat(get(port).statusCode()).as("by the other node").isEqualTo(429);
      }
    }
  }

  private HttpResponse<String> get(int port) throws IOException, InterruptedException {
    URI address = URI.create("http://127.0.0.1:" + port + "/");
    return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
  }

  private static boolean answers(JarRun front, int port) {
    assertThat(front.isAlive()).as(front.err()).isTrue();
    try (var socket = new java.net.Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  private static long denied(EmbeddedPostgres postgres) {
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement();
        ResultSet sum =
            statement.executeQuery("SELECT coalesce(sum(denied), 0) FROM rate_limit_violation")) {
      sum.next();
      return sum.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Node start(String name, RedisProcess redis, EmbeddedPostgres postgres, Origin origin)
      throws IOException {
    Path own = Files.createDirectory(folder.resolve(name));
    Map<String, String> variables = Compose.read().variables(name);
    String policy = Files.readString(DOCKER.resolve("policy/policy.yaml"));
    assertThat(policy).contains("172.16.0.0/12");
    Path file = own.resolve("policy.yaml");
    Files.writeString(file, policy.replace("172.16.0.0/12", "127.0.0.1/32"));
    variables.put("PENSTOCK_POLICY", file.toString());
    variables.put("PENSTOCK_REDIS", redis.url());
    variables.put("PENSTOCK_UPSTREAM", "http://127.0.0.1:" + origin.port());
    variables.put(
        "PENSTOCK_POSTGRES", "postgres://postgres@127.0.0.1:" + postgres.getPort() + "/postgres");
    variables.put("PENSTOCK_POSTGRES_SNAPSHOT", own.resolve("rules.json").toString());
    // On a busy machine, a response may take longer than the default deadline.
    variables.put("PENSTOCK_REDIS_DEADLINE_MS", "5000");
    int proxyPort = Ports.free();
    variables.put("PENSTOCK_PROXY_HOST", "127.0.0.1");
    variables.put("PENSTOCK_PROXY_PORT", "" + proxyPort);
    List<String> command = new ArrayList<>(List.of("env"));
    variables.forEach((variable, value) -> command.add(variable + "=" + value));
    command.addAll(List.of(JarRun.JAVA.toString(), "-jar", JarRun.JAR.toString()));
    return new Node(Service.startCommand(own, command), proxyPort);
  }

  private List<String> nginx(String program, int port, Node one, Node two) throws IOException {
    String original = Files.readString(DOCKER.resolve("nginx.conf"));
    String adapted =
        original
            .replace("penstock-1:8000", "127.0.0.1:" + one.proxyPort)
            .replace("penstock-2:8000", "127.0.0.1:" + two.proxyPort)
            .replace("listen 80;", "listen 127.0.0.1:" + port + ";")
            .replace("events {}", "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}")
            .replace("http {\n", LOCAL_PATHS);
    Files.writeString(folder.resolve("nginx.conf"), adapted);
    return List.of(program, "-p", folder.toString(), "-c", "nginx.conf", "-e", "stderr");
  }

  /** A node and the port of its proxy listener. */
  private record Node(Service service, int proxyPort) implements AutoCloseable {
    boolean isDegraded() {
      return service.isDegraded();
    }

    double decisions() {
      return service.metric("penstock_decisions_total{");
    }

    void kill() {
      service.close();
    }

    @Override
    public void close() {
      service.close();
    }
  }

  /** The protected origin. Responds to every request with 200. */
  private static final class Origin implements AutoCloseable {
    private final HttpServer server;

    Origin() throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            try (exchange) {
              exchange.getResponseHeaders().set("Connection", "close");
              exchange.sendResponseHeaders(200, -1);
            }
          });
      server.start();
    }

    int port() {
      return server.getAddress().getPort();
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }
}
