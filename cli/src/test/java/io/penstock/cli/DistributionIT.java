package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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

  private static HttpResponse<String> login(Service service) {
    return service.forwardAuth("X-Original-Method", "POST", "X-Original-URI", "/login");
  }
}
