package io.penstock.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.SelfSigned;
import io.penstock.cli.recipes.Program;
import io.penstock.server.PenstockServer;
import io.penstock.server.Setting;
import io.penstock.server.SettingsReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the dashboard, the alerts and the documentation name existing metrics. */
class MonitoringTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(penstock_[a-z_]+)` \\|([^|]*)\\| [^|]+ \\|$");

  /** The suffixes of timers and histograms. */
  private static final Pattern PART = Pattern.compile("_(bucket|count|sum|max)$");

  @TempDir static Path folder;
  private static final ScrapedMetrics FIGURES = ScrapedMetrics.none();

  /**
   * Scrapes a server with all features on. Redis, PostgreSQL and the origin are unreachable, and a
   * request lacks the key of a rule, which is counted as well.
   */
  @BeforeAll
  static void scrape() throws Exception {
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"), "{name: all, limit_keys: [], rate: 1/s}\n");
    Map<Setting, String> alone = new EnumMap<>(Setting.class);
    alone.put(Setting.HOST, "127.0.0.1");
    alone.put(Setting.PORT, "0");
    alone.put(Setting.ADMIN_PORT, "0");
    alone.put(Setting.POLICY, policy.toString());
    scrape(alone);
    Path keyed =
        Files.writeString(
            folder.resolve("keyed.yaml"), "{name: all, limit_keys: [\"ip:address\"], rate: 1/s}\n");
    Map<Setting, String> withKey = new EnumMap<>(alone);
    withKey.put(Setting.POLICY, keyed.toString());
    scrape(withKey);
    Map<Setting, String> withAll = new EnumMap<>(alone);
    withAll.put(Setting.REDIS, "redis://127.0.0.1:1");
    withAll.put(Setting.POSTGRES, "postgres://nobody@127.0.0.1:1/nothing");
    withAll.put(Setting.POSTGRES_SNAPSHOT, folder.resolve("rules.json").toString());
    withAll.put(Setting.UPSTREAM, "http://127.0.0.1:1");
    withAll.put(Setting.PROXY_HOST, "127.0.0.1");
    withAll.put(Setting.PROXY_PORT, "0");
    SelfSigned own = SelfSigned.make(folder, "own", "EC");
    withAll.put(Setting.PROXY_TLS_CERT, own.certificate().toString());
    withAll.put(Setting.PROXY_TLS_KEY, own.key().toString());
    withAll.put(Setting.ACCESS_LOG, "json");
    withAll.put(Setting.ACCESS_LOG_FILE, folder.resolve("access.log").toString());
    Path envoy =
        Files.writeString(
            folder.resolve("envoy.yaml"),
            "{domain: d, descriptors: [{key: k, rate_limit: {unit: hour, requests_per_unit: 1}}]}\n");
    withAll.put(Setting.ENVOY, envoy.toString());
    withAll.put(Setting.ENVOY_HOST, "127.0.0.1");
    withAll.put(Setting.ENVOY_PORT, "0");
    scrape(withAll);
  }

  private static void scrape(Map<Setting, String> flags) throws Exception {
    try (PenstockServer server = PenstockServer.start(SettingsReader.read(flags, Map.of(), null))) {
      send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/check"))
              .POST(BodyPublishers.ofString("{}")));
      FIGURES.and(
          send(
              HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + server.adminPort() + "/metrics"))));
    }
  }

  private static String send(HttpRequest.Builder request) throws Exception {
    var response = CLIENT.send(request.build(), BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  @Test
  void documents_tables_listExactlyTheMetricsAndTheirLabels() throws Exception {
    Map<String, Set<String>> documented = new TreeMap<>();
    for (String page : List.of("service.md", "postgres.md")) {
      for (MatchResult row :
          ROW.matcher(Files.readString(Path.of("..", "docs", page))).results().toList()) {
        Set<String> labels =
            Pattern.compile("[a-z]+")
                .matcher(row.group(2))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented.put(row.group(1), labels)).as(row.group(1)).isNull();
      }
    }

    Map<String, Set<String>> shown = new TreeMap<>();
    FIGURES
        .byName()
        .forEach(
            (name, labels) -> {
              if (name.startsWith("penstock_")) {
                Set<String> own = new TreeSet<>(labels.keySet());
                own.remove("le");
                shown.put(PART.matcher(name).replaceAll(""), own);
              }
            });
    assertThat(documented).isEqualTo(shown);
  }

  @Test
  void alerts_queries_nameExistingMetrics() {
    List<Tree> alerts = alerts();
    assertThat(alerts).hasSizeGreaterThan(10);
    for (Tree alert : alerts) {
      Query query = new Query(alert.at("expr").text());
      assertThat(query.errors(FIGURES)).as(alert.at("alert").text()).isEmpty();
      assertThat(alert.at("labels.severity").text()).isIn("critical", "warning");
      assertThat(alert.at("annotations.summary").text()).isNotBlank();
    }
  }

  @Test
  void alerts_areExactlyThoseOfTheDocumentation() throws Exception {
    List<String> explained =
        Pattern.compile("(?m)^\\| `(Penstock[A-Za-z]+)` \\|")
            .matcher(Files.readString(Path.of("..", "docs", "operations.md")))
            .results()
            .map(row -> row.group(1))
            .toList();

    assertThat(explained)
        .containsExactlyElementsOf(
            alerts().stream().map(alert -> alert.at("alert").text()).toList());
  }

  private static List<Tree> alerts() {
    Tree groups = DeployFile.yaml("prometheus/alerts.yml").get(0).at("groups");
    return groups.items().stream().flatMap(group -> group.at("rules").items().stream()).toList();
  }

  @Test
  void prometheus_rules_areTheAlertsFile() {
    Tree prometheus = DeployFile.yaml("prometheus/prometheus.yml").get(0);
    assertThat(prometheus.at("rule_files").texts()).containsExactly("alerts.yml");
    assertThat(prometheus.at("scrape_configs").items())
        .extracting(job -> job.at("job_name").text())
        .containsExactly("penstock");
  }

  @Test
  void promtool_reportsNoErrors() throws Exception {
    String promtool = Program.onPath("promtool");
    for (List<String> check :
        List.of(
            List.of(promtool, "check", "rules", "alerts.yml"),
            List.of(promtool, "check", "config", "prometheus.yml"))) {
      Path out = folder.resolve("promtool.txt");
      Process process =
          new ProcessBuilder(check)
              .directory(DeployFile.path("prometheus").toFile())
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(out)).isZero();
    }
  }

  @Test
  void dashboard_queries_nameExistingMetrics() {
    List<Tree> panels = dashboard().at("panels").items();
    List<String> queries = new ArrayList<>();
    for (Tree panel : panels) {
      if (panel.has("targets")) {
        for (Tree target : panel.at("targets").items()) {
          String query = target.at("expr").text();
          queries.add(query);
          assertThat(new Query(query).errors(FIGURES)).as(panel.at("title").text()).isEmpty();
          assertThat(legendLabels(target)).allSatisfy(label -> assertThat(query).contains(label));
        }
      }
    }
    assertThat(queries).hasSizeGreaterThan(30);
    Set<String> unseen = new TreeSet<>();
    for (String name : FIGURES.byName().keySet()) {
      String family = PART.matcher(name).replaceAll("");
      if (name.startsWith("penstock_") && queries.stream().noneMatch(q -> q.contains(family))) {
        unseen.add(family);
      }
    }
    assertThat(unseen).as("metrics that no panel shows").isEmpty();
  }

  private static List<String> legendLabels(Tree target) {
    return Pattern.compile("\\{\\{([a-z]+)}}")
        .matcher(target.at("legendFormat").text())
        .results()
        .map(label -> label.group(1))
        .toList();
  }

  @Test
  void dashboard_panels_dontOverlapAndHaveUniqueIds() {
    Set<String> cells = new TreeSet<>();
    Set<Integer> ids = new TreeSet<>();
    for (Tree panel : dashboard().at("panels").items()) {
      Tree at = panel.at("gridPos");
      assertThat(ids.add(panel.at("id").number())).as(panel.at("title").text()).isTrue();
      assertThat(at.at("x").number() + at.at("w").number()).isLessThanOrEqualTo(24);
      for (int x = 0; x < at.at("w").number(); x++) {
        for (int y = 0; y < at.at("h").number(); y++) {
          String cell = (at.at("x").number() + x) + "," + (at.at("y").number() + y);
          assertThat(cells.add(cell)).as("%s at %s", panel.at("title").text(), cell).isTrue();
        }
      }
    }
  }

  @Test
  void dashboard_variables_useExistingMetrics() {
    for (Tree variable : dashboard().at("templating.list").items()) {
      if (variable.at("type").text().equals("query")) {
        String[] words = variable.at("definition").text().split("[(,) ]+", -1);
        assertThat(words[0]).isEqualTo("label_values");
        assertThat(FIGURES.byName()).containsKey(words[1]);
        if (!words[2].equals("instance")) {
          assertThat(FIGURES.byName().get(words[1])).containsKey(words[2]);
        }
      }
    }
  }

  /** Reads the JSON as YAML, which is a superset. */
  private static Tree dashboard() {
    return DeployFile.yaml("grafana/penstock.json").get(0);
  }
}
