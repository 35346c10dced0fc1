package io.penstock.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.CommandRun;
import io.penstock.server.PenstockServer;
import io.penstock.server.Setting;
import io.penstock.server.Settings;
import io.penstock.server.SettingsReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that the manifests of deploy/kubernetes are consistent with each other and with Penstock.
 */
class KubernetesTest {
  private static final Tree DEPLOYMENT = one("deployment.yaml", "Deployment");
  private static final Tree POD = DEPLOYMENT.at("spec.template.spec");
  private static final Tree CONTAINER = POD.at("containers").items().get(0);
  private static final Tree POLICY = one("policy.yaml", "ConfigMap");
  private static final String TOKEN = "a-secret-for-tests-only";

  @TempDir Path folder;

  private static Tree one(String file, String kind) {
    List<Tree> documents = DeployFile.yaml("kubernetes/" + file);
    assertThat(documents).hasSize(1);
    assertThat(documents.get(0).at("kind").text()).isEqualTo(kind);
    return documents.get(0);
  }

  private static Map<String, String> variables() {
    Map<String, String> variables = new TreeMap<>();
    for (Tree variable : CONTAINER.at("env").items()) {
      variables.put(
          variable.at("name").text(), variable.has("value") ? variable.at("value").text() : TOKEN);
    }
    return variables;
  }

  @Test
  void variables_areValidSettingsAndMatchTheReplicas() {
    Settings settings = Variables.settings(variables());

    assertThat(settings.nodes()).hasValue(DEPLOYMENT.at("spec.replicas").number());
  }

  @Test
  void ports_ofPodAndService_areThoseOfTheListeners() {
    Settings settings = Variables.settings(variables());
    Tree ports = CONTAINER.at("ports");
    assertThat(ports.item("name", "decision").at("containerPort").number())
        .isEqualTo(settings.port());
    assertThat(ports.item("name", "admin").at("containerPort").number())
        .isEqualTo(settings.adminPort());
    assertThat(
            DEPLOYMENT
                .at("spec.template.metadata.annotations")
                .entries()
                .get("prometheus.io/port")
                .text())
        .isEqualTo("" + settings.adminPort());

    for (Tree port : one("service.yaml", "Service").at("spec.ports").items()) {
      Tree target = ports.item("name", port.at("targetPort").text());
      assertThat(port.at("port").number()).isEqualTo(target.at("containerPort").number());
    }
  }

  @Test
  void selectors_matchThePods() {
    Map<String, Tree> labels = DEPLOYMENT.at("spec.template.metadata.labels").entries();

    assertThat(labels).isNotEmpty();
    assertThat(DEPLOYMENT.at("spec.selector.matchLabels").entries()).isEqualTo(labels);
    assertThat(one("service.yaml", "Service").at("spec.selector").entries()).isEqualTo(labels);
    Tree budget = one("disruption.yaml", "PodDisruptionBudget");
    assertThat(budget.at("spec.selector.matchLabels").entries()).isEqualTo(labels);
    assertThat(budget.at("spec.maxUnavailable").number())
        .isLessThan(DEPLOYMENT.at("spec.replicas").number());
  }

  /** Uses the variables of the pod, except for addresses of other services. */
  @Test
  void probes_needNoTokenAndOtherPathsDo() throws Exception {
    Map<String, String> variables = variables();
    variables.put(Setting.REDIS.variable(), "redis://127.0.0.1:1");
    variables.put(Setting.POLICY.variable(), writePolicy().toString());
    Map<Setting, String> freePorts = Map.of(Setting.PORT, "0", Setting.ADMIN_PORT, "0");
    try (PenstockServer server =
        PenstockServer.start(SettingsReader.read(freePorts, variables, null))) {
      for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
        Tree get = CONTAINER.at(probe + ".httpGet");
        assertThat(get.at("port").text()).as(probe).isEqualTo("admin");
        assertThat(status(server, get.at("path").text())).as(probe).isEqualTo(200);
      }
      String metrics =
          DEPLOYMENT
              .at("spec.template.metadata.annotations")
              .entries()
              .get("prometheus.io/path")
              .text();
      assertThat(status(server, metrics)).isEqualTo(200);
      assertThat(status(server, "/v1/policy")).isEqualTo(401);
    }
  }

  private static int status(PenstockServer server, String path) throws Exception {
    URI address = URI.create("http://127.0.0.1:" + server.adminPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void policy_thatThePodLoads_isValid() throws Exception {
    Tree mount = CONTAINER.at("volumeMounts").item("name", "policy");
    assertThat(mount.has("subPath")).isFalse();
    String named = variables().get(Setting.POLICY.variable());
    assertThat(named).startsWith(mount.at("mountPath").text() + "/");
    String key = named.substring(mount.at("mountPath").text().length() + 1);
    assertThat(POLICY.at("data").entries()).containsOnlyKeys(key);
    assertThat(POD.at("volumes").item("name", "policy").at("configMap.name").text())
        .isEqualTo(POLICY.at("metadata.name").text());

    CommandRun validated = CommandRun.of("validate", "--strict", writePolicy().toString());
    assertThat(validated.status()).as(validated.out() + validated.err()).isZero();
  }

  private Path writePolicy() throws Exception {
    String policy = POLICY.at("data").entries().get("policy.yaml").text();
    return Files.writeString(folder.resolve("policy.yaml"), policy);
  }

  @Test
  void terminationGracePeriod_coversPreStopAndShutdown() {
    List<String> preStop = CONTAINER.at("lifecycle.preStop.exec.command").texts();
    assertThat(preStop).hasSize(2).startsWith("sleep");
    long shutdown = Variables.settings(variables()).shutdown().toSeconds();

    assertThat(POD.at("terminationGracePeriodSeconds").number())
        .isGreaterThanOrEqualTo((int) (Integer.parseInt(preStop.get(1)) + shutdown + 5));
  }

  @Test
  void pod_userAndFolders_matchTheImage() throws Exception {
    String image = DeployFile.text("docker/Dockerfile");
    String user = POD.at("securityContext.runAsUser").text();
    String group = POD.at("securityContext.runAsGroup").text();
    assertThat(image).contains("\nUSER " + user + ":" + group + "\n");
    String state = CONTAINER.at("volumeMounts").item("name", "state").at("mountPath").text();
    assertThat(image).contains("\nWORKDIR " + state + "\n");
    List<String> volumes =
        POD.at("volumes").items().stream().map(volume -> volume.at("name").text()).toList();
    assertThat(CONTAINER.at("volumeMounts").items())
        .extracting(mount -> mount.at("name").text())
        .containsExactlyInAnyOrderElementsOf(volumes);
    String version = Files.readString(Path.of("..", "pom.xml")).split("</?version>", -1)[1];
    assertThat(CONTAINER.at("image").text()).isEqualTo("penstock:" + version);
  }
}
