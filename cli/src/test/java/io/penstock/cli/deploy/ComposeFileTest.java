package io.penstock.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.CommandRun;
import io.penstock.server.Settings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that the services of deploy/docker/compose.yaml refer to each other, and that the settings
 * of Penstock are valid.
 */
class ComposeFileTest {
  private static final Compose COMPOSE = Compose.read();

  @Test
  void nodes_variables_areValidSettings() {
    for (String node : COMPOSE.nodes()) {
      Settings settings = Variables.settings(COMPOSE.variables(node));
      assertThat(settings.nodes()).hasValue(COMPOSE.nodes().size());
      assertThat(settings.adminHost()).isEqualTo("0.0.0.0");
    }
    assertThat(COMPOSE.nodes()).hasSize(2);
  }

  @Test
  void nodes_addressesOfOthers_areServices() {
    Map<String, String> variables = COMPOSE.variables(COMPOSE.nodes().get(0));
    for (String name : List.of("PENSTOCK_UPSTREAM", "PENSTOCK_REDIS", "PENSTOCK_POSTGRES")) {
      URI address = URI.create(variables.get(name));
      assertThat(COMPOSE.services()).as(name).containsKey(address.getHost());
      assertThat(address.getPort()).as(name).isPositive();
    }
  }

  @Test
  void services_thatOthersDependOn_exist() {
    COMPOSE
        .services()
        .forEach(
            (name, service) -> {
              if (service.has("depends_on")) {
                assertThat(COMPOSE.services().keySet())
                    .as(name)
                    .containsAll(service.at("depends_on").texts());
              }
            });
  }

  @Test
  void nginx_servers_areTheProxyListenersOfAllNodes() {
    int port = Variables.settings(COMPOSE.variables(COMPOSE.nodes().get(0))).proxyPort();
    List<String> servers =
        Pattern.compile("server ([a-z0-9-]+:\\d+)")
            .matcher(DeployFile.text("docker/nginx.conf"))
            .results()
            .map(server -> server.group(1))
            .toList();

    assertThat(servers)
        .containsExactlyElementsOf(
            COMPOSE.nodes().stream().map(node -> node + ":" + port).toList());
    assertThat(COMPOSE.services().get("nginx").at("ports").texts()).containsExactly("8088:80");
  }

  @Test
  void files_thatAreMounted_exist() {
    List<String> mounts =
        COMPOSE.services().values().stream()
            .filter(service -> service.has("volumes"))
            .flatMap(service -> service.at("volumes").texts().stream())
            .filter(mount -> mount.startsWith("./"))
            .toList();
    assertThat(mounts).hasSizeGreaterThanOrEqualTo(2);
    for (String mount : mounts) {
      Path file = DeployFile.path("docker").resolve(mount.split(":", -1)[0]);
      assertThat(Files.exists(file)).as(mount).isTrue();
    }
    Tree build = COMPOSE.services().get(COMPOSE.nodes().get(0)).at("build");
    Path context = DeployFile.path("docker").resolve(build.at("context").text());
    assertThat(context.resolve(build.at("dockerfile").text())).exists();
    assertThat(context.resolve("mvnw")).exists();
  }

  @Test
  void policy_thatNodesLoad_isValid() {
    Tree node = COMPOSE.services().get(COMPOSE.nodes().get(0));
    String[] mount = node.at("volumes").texts().get(0).split(":", -1);
    String named = node.at("environment.PENSTOCK_POLICY").text();
    assertThat(named).startsWith(mount[1] + "/");
    Path policy =
        DeployFile.path("docker").resolve(mount[0]).resolve(named.substring(mount[1].length() + 1));

    CommandRun validated = CommandRun.of("validate", "--strict", policy.toString());
    assertThat(validated.status()).as(validated.out() + validated.err()).isZero();
  }

  @Test
  void stopGracePeriod_isLongerThanTheShutdownTimeout() {
    for (String node : COMPOSE.nodes()) {
      String grace = COMPOSE.services().get(node).at("stop_grace_period").text();
      assertThat(grace).endsWith("s");
      long seconds = Long.parseLong(grace.substring(0, grace.length() - 1));
      Settings settings = Variables.settings(COMPOSE.variables(node));
      assertThat(seconds).isGreaterThanOrEqualTo(settings.shutdown().toSeconds() + 5);
    }
  }

  @Test
  void prometheus_targets_areTheAdminListenersOfAllNodes() {
    Tree job =
        DeployFile.yaml("prometheus/prometheus.yml").get(0).at("scrape_configs").items().get(0);
    int port = Variables.settings(COMPOSE.variables(COMPOSE.nodes().get(0))).adminPort();

    assertThat(job.at("static_configs").items().get(0).at("targets").texts())
        .containsExactlyElementsOf(
            COMPOSE.nodes().stream().map(node -> node + ":" + port).toList());
    assertThat(Stream.of(job.at("metrics_path").text())).containsExactly("/metrics");
  }
}
