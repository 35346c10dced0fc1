package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.load.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statistics of envoyproxy/ratelimit, and the listeners that have them. */
class EnvoyStatisticsTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final String CONFIG =
      """
      domain: shop
      descriptors:
        - key: user
          rate_limit: {unit: day, requests_per_unit: 10}
        - key: trial
          shadow_mode: true
          rate_limit: {unit: day, requests_per_unit: 1}
        - key: tenant
          value_to_metric: true
          descriptors:
            - key: path
              value: /a*
              rate_limit: {unit: day, requests_per_unit: 5}
        - key: route
          detailed_metric: true
          rate_limit: {unit: day, requests_per_unit: 5}
        - key: files
          value: x*
          share_threshold: true
          detailed_metric: true
          rate_limit: {unit: day, requests_per_unit: 5}
      """;

  @TempDir private Path folder;
  private RunningServer server;

  @BeforeEach
  void start() throws IOException {
    Path file = Files.writeString(folder.resolve("envoy.yaml"), CONFIG);
    server =
        RunningServer.with(
            Map.of(
                Setting.ENVOY, file.toString(),
                Setting.ENVOY_HOST, "127.0.0.1",
                Setting.ENVOY_PORT, "0",
                Setting.ENVOY_DEBUG_HOST, "127.0.0.1",
                Setting.ENVOY_DEBUG_PORT, "0",
                Setting.ENVOY_METRICS_HOST, "127.0.0.1",
                Setting.ENVOY_METRICS_PORT, "0",
                Setting.ENVOY_METRICS_PATH, "/prom"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void ask(int times, String... entries) {
    StringBuilder json = new StringBuilder();
    for (String entry : entries) {
      String[] parts = entry.split("=", 2);
      json.append(json.length() == 0 ? "" : ",")
          .append("{\"key\":\"" + parts[0] + "\",\"value\":\"" + parts[1] + "\"}");
    }
    for (int i = 0; i < times; i++) {
      int status =
          server
              .post("/json", "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[" + json + "]}]}")
              .statusCode();
      assertThat(status).isIn(200, 429);
    }
  }

  private static HttpResponse<String> get(int port, String path) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private String debug(String path) throws Exception {
    return get(server.server().envoyDiagnostics().debugPort().orElseThrow(), path).body();
  }

  private String metrics() throws Exception {
    return get(server.server().envoyDiagnostics().metricsPort().orElseThrow(), "/prom").body();
  }

  @Test
  void stats_hits_areCountedAsTheReferenceDoes() throws Exception {
    ask(12, "user=ann");
    ask(3, "trial=a");

    assertThat(debug("/stats").lines())
        .contains(
            "ratelimit.service.rate_limit.shop.user.total_hits: 12",
            "ratelimit.service.rate_limit.shop.user.within_limit: 10",
            "ratelimit.service.rate_limit.shop.user.near_limit: 2",
            "ratelimit.service.rate_limit.shop.user.over_limit: 2",
            "ratelimit.service.rate_limit.shop.user.shadow_mode: 0",
            "ratelimit.service.rate_limit.shop.trial.over_limit: 2",
            "ratelimit.service.rate_limit.shop.trial.shadow_mode: 2",
            "ratelimit.service.config_load_success: 1",
            "ratelimit_server.ShouldRateLimit.total_requests: 15");
  }

  @Test
  void stats_valuesInMetrics_areNamedAsConfigured() throws Exception {
    ask(1, "user=ann");
    ask(1, "tenant=acme", "path=/a/1");
    ask(1, "route=a:b|10.1.2.3");
    ask(2, "files=x1");

    assertThat(debug("/stats").lines())
        .contains(
            "ratelimit.service.rate_limit.shop.user.total_hits: 1",
            "ratelimit.service.rate_limit.shop.tenant_acme.path_/a*.total_hits: 1",
            "ratelimit.service.rate_limit.shop.route_a_b_10_1_2_3.total_hits: 1",
            "ratelimit.service.rate_limit.shop.files_x*.total_hits: 2");
  }

  @Test
  void stats_manyValues_areBounded() throws Exception {
    ask(1, "route=" + "a".repeat(1_000));

    assertThat(debug("/stats").lines())
        .contains("ratelimit.service.rate_limit.shop.route.total_hits: 1")
        .allMatch(line -> line.length() < 400);
  }

  @Test
  void metrics_haveTheNamesAndLabelsOfTheReference() throws Exception {
    ask(11, "user=ann");
    ask(1, "tenant=acme", "path=/a/1");

    String scraped = metrics();
    assertThat(scraped.lines())
        .contains(
            "ratelimit_service_rate_limit_total_hits{domain=\"shop\",key1=\"user\"} 11.0",
            "ratelimit_service_rate_limit_over_limit{domain=\"shop\",key1=\"user\"} 1.0",
            "ratelimit_service_rate_limit_near_limit{domain=\"shop\",key1=\"user\"} 2.0",
            "ratelimit_service_rate_limit_within_limit{domain=\"shop\",key1=\"tenant_acme\","
                + "key2=\"path_/a*\"} 1.0",
            "ratelimit_service_config_load_success 1.0",
            "ratelimit_service_total_requests{grpc_method=\"ShouldRateLimit\"} 12.0",
            "ratelimit_service_response_time_seconds_count{grpc_method=\"ShouldRateLimit\"} 12");
    assertThat(scraped).contains("penstock_envoy_requests_total");
    assertThat(server.admin("/metrics").body()).contains("ratelimit_service_rate_limit_total_hits");
  }

  @Test
  void debug_otherPaths_describeTheConfiguration() throws Exception {
    assertThat(debug("/rlconfig").lines())
        .contains(
            "shop.user: unit=DAY requests_per_unit=10, shadow_mode: false, quota_mode: false",
            "shop.trial: unit=DAY requests_per_unit=1, shadow_mode: true, quota_mode: false");
    assertThat(debug("/")).contains("/rlconfig").contains("/stats");
    assertThat(debug("/metrics")).contains("No such path");
  }

  @Test
  void variables_ofTheReference_openTheListeners() {
    Settings settings = read("USE_PROMETHEUS", "true", "PROMETHEUS_ADDR", ":19001");
    assertThat(settings.address(Setting.ENVOY_METRICS_HOST, Setting.ENVOY_METRICS_PORT))
        .hasValueSatisfying(
            address -> assertThat(address).hasToString("0.0.0.0/<unresolved>:19001"));
    assertThat(settings.address(Setting.ENVOY_DEBUG_HOST, Setting.ENVOY_DEBUG_PORT))
        .hasValueSatisfying(
            address -> assertThat(address).hasToString("0.0.0.0/<unresolved>:6070"));
    assertThat(settings.envoyMetricsPath()).isEqualTo("/metrics");
    assertThat(settings.adminPort()).isEqualTo(9090);
    assertThat(settings.warnings()).isEmpty();

    assertThat(read().address(Setting.ENVOY_METRICS_HOST, Setting.ENVOY_METRICS_PORT)).isEmpty();

    Settings defaults = read("USE_PROMETHEUS", "true", "DEBUG_PORT", "7000");
    assertThat(defaults.adminPort()).isEqualTo(9091);
    assertThat(defaults.warnings())
        .extracting(Problem::toString)
        .containsExactly(
            "PROMETHEUS_ADDR: warning: uses the port of the admin listener, which is therefore"
                + " 9091");
    assertThat(defaults.address(Setting.ENVOY_DEBUG_HOST, Setting.ENVOY_DEBUG_PORT))
        .hasValueSatisfying(address -> assertThat(address.getPort()).isEqualTo(7000));
  }

  private static Settings read(String... variables) {
    Map<String, String> all = new HashMap<>();
    all.put("PENSTOCK_ENVOY_VARIABLES", "true");
    all.put("REDIS_SOCKET_TYPE", "tcp");
    all.put("REDIS_URL", "redis:6379");
    for (int i = 0; i < variables.length; i += 2) {
      all.put(variables[i], variables[i + 1]);
    }
    return SettingsReader.read(Map.of(), all, null);
  }
}
