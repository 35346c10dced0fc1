package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testing.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the distribution archive works as its README says. */
@Tag("full")
class DistributionIT {
  @TempDir Path folder;
  private Distribution unpacked;

  @BeforeEach
  void unpack() throws IOException {
    unpacked = Distribution.unpack(Files.createDirectory(folder.resolve("with a space")));
  }

  @Test
  void files_ofTheArchive_areCompleteWithOneTimestamp() throws IOException {
    List<String> names =
        unpacked.files().stream().map(file -> unpacked.home().relativize(file).toString()).toList();
    assertThat(names)
        .contains(
            "bin/penstock",
            "bin/ratelimit",
            "lib/penstock.jar",
            "conf/penstock.yaml",
            "conf/policy.yaml",
            "LICENSE",
            "README.md",
            "docs/settings.md",
            "docs/recipes/nginx.md");
    assertThat(unpacked.files())
        .extracting(Files::getLastModifiedTime)
        .containsOnly(FileTime.from(java.time.Instant.parse("2026-01-01T00:00:00Z")));
  }

  @Test
  void command_throughSymbolicLinks_printsItsVersion() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), unpacked.command());
    Path linkToLink = Files.createSymbolicLink(folder.resolve("again"), Path.of("link"));

    for (Path command : List.of(unpacked.command(), link, linkToLink)) {
      try (JarRun run = JarRun.startCommand(folder, List.of(command.toString(), "--version"))) {
        assertThat(run.await()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        String version = unpacked.home().getFileName().toString().replace("penstock-", "penstock ");
        assertThat(run.out()).startsWith(version + "\n");
      }
    }
  }

  @Test
  void command_withoutJava_reportsTheRequirement() {
    List<String> command =
        List.of("env", "JAVA_HOME=" + folder, unpacked.command().toString(), "--version");
    try (JarRun run = JarRun.startCommand(folder, command)) {
      assertThat(run.await()).isEqualTo(1);
      assertThat(run.err()).contains("requires Java 17 or later");
    }
  }

  @Test
  void serve_withTheBundledSettings_deniesTheSixthLogin() {
    String settings = unpacked.home().resolve("conf/penstock.yaml").toString();
    try (Service service =
        Service.startCommand(
            folder, List.of(unpacked.command().toString()), "--config", settings)) {
      for (int i = 0; i < 5; i++) {
        assertThat(login(service).statusCode()).isEqualTo(200);
      }

      assertThat(login(service).statusCode()).isEqualTo(429);
      assertThat(service.admin("/readyz").body()).contains("conf/policy.yaml");
      // The launcher replaces itself with the JVM (exec), so signals reach it.
      service.process().signal("TERM");
      assertThat(service.process().await()).isZero();
    }
  }

  @Test
  void ratelimit_withVariablesOfTheReference_servesTheirConfiguration() throws Exception {
    Path config = Files.createDirectories(folder.resolve("data/ratelimit/config"));
    Path unused =
        Files.writeString(
            config.resolve("shop.yaml"),
            "{domain: shop, descriptors: [{key: user, rate_limit: {unit: hour,"
                + " requests_per_unit: 1}}]}");
    // As in the image, where it is /bin/ratelimit.
    Path link =
        Files.createSymbolicLink(
            folder.resolve("linked"), unpacked.home().resolve("bin").resolve("ratelimit"));
    int port = Ports.free();
    List<String> command =
        List.of(
            "env",
            "RUNTIME_ROOT=" + folder.resolve("data"),
            "RUNTIME_SUBDIRECTORY=ratelimit",
            "RUNTIME_IGNOREDOTFILES=true",
            "LOG_LEVEL=info",
            "USE_STATSD=false",
            "HOST=127.0.0.1",
            "PORT=" + port,
            "GRPC_HOST=127.0.0.1",
            "GRPC_PORT=" + Ports.free(),
            "DEBUG_PORT=" + Ports.free(),
            "PENSTOCK_ADMIN_PORT=0",
            // As on the read-only file system that Envoy Gateway requires.
            "PENSTOCK_JAVA_OPTS=-Djava.io.tmpdir=" + folder.resolve("missing"),
            link.toString());
    try (JarRun run = JarRun.startCommand(folder, command)) {
      await("healthy").until(() -> status(port, "GET", "/healthcheck", "") == 200);
      String ask =
          "{\"domain\": \"shop\", \"descriptors\":"
              + " [{\"entries\": [{\"key\": \"user\", \"value\": \"ann\"}]}]}";
      assertThat(status(port, "POST", "/json", ask)).isEqualTo(200);
      assertThat(status(port, "POST", "/json", ask)).isEqualTo(429);
      run.signal("TERM");
      assertThat(run.await()).as(run.err()).isZero();
    }
  }

  /** Returns the status of a response; 0 if there is none. */
  private static int status(int port, String method, String path, String body)
      throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Content-Type", "application/json")
            .build();
    try {
      return HttpClient.newHttpClient()
          .send(request, HttpResponse.BodyHandlers.discarding())
          .statusCode();
    } catch (IOException notListening) {
      return 0;
    }
  }

  private static HttpResponse<String> login(Service service) {
    return service.forwardAuth("X-Original-Method", "POST", "X-Original-URI", "/login");
  }
}
