package io.penstock.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.PenstockServer;
import io.penstock.server.Setting;
import io.penstock.server.SettingsReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares the Dockerfile with the project. Tests don't build the image. */
class DockerfileTest {
  private static final String FILE =
      DeployFile.text("docker/Dockerfile").replaceAll(" *\\\\\n *", " ");

  /** Returns the arguments of the last instruction of a kind. */
  private static String last(String instruction) {
    Matcher line = Pattern.compile("(?m)^" + instruction + " (.*)$").matcher(FILE);
    String found = null;
    while (line.find()) {
      found = line.group(1);
    }
    assertThat(found).as(instruction).isNotNull();
    return found;
  }

  @Test
  void user_isNotRootAndIsCreated() {
    assertThat(last("USER")).isEqualTo("10001:10001");
    assertThat(FILE).contains("useradd --system --uid 10001 --user-group");
  }

  @Test
  void entrypoint_isTheCopiedLauncher() throws Exception {
    assertThat(DeployFile.list(last("ENTRYPOINT"))).containsExactly("/opt/penstock/bin/penstock");
    assertThat(DeployFile.list(last("CMD"))).containsExactly("serve");
    assertThat(FILE)
        .contains("COPY --from=build /penstock/bin /opt/penstock/bin\n")
        .contains("COPY --from=build /penstock/lib /opt/penstock/lib\n");
    String distribution = Files.readString(Path.of("src", "assembly", "distribution.xml"));
    assertThat(distribution)
        .contains("<outputDirectory>bin</outputDirectory>")
        .contains("<outputDirectory>lib</outputDirectory>");
    assertThat(Files.readString(Path.of("src", "dist", "penstock")))
        .contains("$home/lib/penstock.jar");
  }

  @Test
  void ratelimit_isTheCommandOfTheReference() {
    assertThat(FILE).contains("RUN ln -s /opt/penstock/bin/ratelimit /bin/ratelimit\n");
    assertThat(Path.of("src", "dist", "ratelimit")).isExecutable();
  }

  @Test
  void ports_areThoseOfAllListeners() {
    assertThat(last("EXPOSE").split(" "))
        .containsExactlyInAnyOrder(
            Setting.PORT.otherwise(),
            Setting.PROXY_PORT.otherwise(),
            Setting.ADMIN_PORT.otherwise(),
            Setting.ENVOY_PORT.otherwise(),
            // Those of envoyproxy/ratelimit for debugging, and for metrics with Envoy Gateway
            "6070",
            "19001");
  }

  @Test
  void javaVersions_areEqualAndSupported() {
    List<String> images =
        Pattern.compile("(?m)^FROM eclipse-temurin:(\\d+)-(jdk|jre)\\b")
            .matcher(FILE)
            .results()
            .map(image -> image.group(1))
            .toList();
    assertThat(images).hasSize(2).containsOnly(images.get(0));
    assertThat(Integer.parseInt(images.get(0))).isGreaterThanOrEqualTo(17);
  }

  @Test
  void jvmOptions_areAccepted() throws Exception {
    Matcher options = Pattern.compile("PENSTOCK_JAVA_OPTS=\"([^\"]+)\"").matcher(FILE);
    assertThat(options.find()).isTrue();
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(List.of(options.group(1).split(" ")));
    command.add("-version");
    assertThat(status(command, Map.of())).isZero();
  }

  @Test
  void healthcheck_succeedsWithAServerAndFailsWithout() throws Exception {
    List<String> check = DeployFile.list(last("HEALTHCHECK").replaceAll("^.* CMD ", ""));
    assertThat(check).hasSize(3);
    String port;
    try (PenstockServer server =
        PenstockServer.start(
            SettingsReader.read(
                Map.of(Setting.HOST, "127.0.0.1", Setting.PORT, "0", Setting.ADMIN_PORT, "0"),
                Map.of(),
                null))) {
      port = "" + server.adminPort();
      assertThat(status(check, Map.of("PENSTOCK_ADMIN_PORT", port))).isZero();
      List<String> elsewhere =
          check.stream().map(word -> word.replace("/livez", "/nowhere")).toList();
      assertThat(status(elsewhere, Map.of("PENSTOCK_ADMIN_PORT", port))).isNotZero();
    }
    assertThat(status(check, Map.of("PENSTOCK_ADMIN_PORT", port))).isNotZero();
  }

  private static int status(List<String> command, Map<String, String> variables) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(variables);
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }
}
