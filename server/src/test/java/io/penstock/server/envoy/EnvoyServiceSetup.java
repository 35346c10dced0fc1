package io.penstock.server.envoy;

import static io.penstock.server.envoy.EnvoyClient.descriptor;
import static io.penstock.server.envoy.EnvoyClient.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.envoy.proto.service.RateLimitResponse.Code;
import io.penstock.testing.ManualClock;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A running rate limit service with a client. */
abstract class EnvoyServiceSetup {
  static final String CONFIG =
      """
      domain: shop
      descriptors:
        - key: user
          rate_limit: {unit: minute, requests_per_unit: 3, name: per_user}
        - key: tenant
          rate_limit: {unit: minute, requests_per_unit: 100}
        - key: banned
          rate_limit: {unit: minute, requests_per_unit: 0}
        - key: free
          rate_limit: {unlimited: true}
        - key: vip
          rate_limit:
            unit: hour
            requests_per_unit: 10
            replaces: [{name: per_user}]
        - key: trial
          shadow_mode: true
          rate_limit: {unit: hour, requests_per_unit: 1}
        - key: backend
          value: one
          quota_mode: true
          rate_limit: {unit: hour, requests_per_unit: 1}
        - key: backend
          value: two
          quota_mode: true
          rate_limit: {unit: hour, requests_per_unit: 2}
        - key: week
          rate_limit: {unit: week, requests_per_unit: 7}
          metadata: {service: {name: weekly, weights: [1, true, null]}}
      """;

  @TempDir Path folder;
  final ManualClock clock = new ManualClock(1_000_000_000_000L);
  RunningServer server;
  EnvoyClient client;
  Path file;

  @BeforeEach
  void start() throws IOException {
    file = Files.writeString(folder.resolve("envoy.yaml"), CONFIG);
    start(Map.of());
  }

  final void start(Map<Setting, String> more) {
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.ENVOY, file.toString());
    settings.put(Setting.ENVOY_HOST, "127.0.0.1");
    settings.put(Setting.ENVOY_PORT, "0");
    settings.putAll(more);
    server = RunningServer.with(settings, clock);
    client = new EnvoyClient(server.server().envoyPort().orElseThrow());
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  final void restart(Map<Setting, String> more) {
    stop();
    start(more);
  }

  final Code code(String entry) {
    return client.ask("shop", descriptor(entry)).getOverallCode();
  }

  final void take(String entry, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(code(entry)).isEqualTo(Code.OK);
    }
  }

  final int remaining(String entry) {
    return client.ask("shop", descriptor(0, entry)).getStatuses(0).getLimitRemaining();
  }

  final int[] ports() {
    return new int[] {server.server().envoyPort().orElseThrow(), server.server().port()};
  }

  static HttpResponse<String> post(int port, String body) {
    return RunningServer.send(
        HttpRequest.newBuilder(uri(port, "/json")).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  static URI uri(int port, String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  static String question(String key) {
    return """
        {"domain": "shop", "hitsAddend": 2,
         "descriptors": [{"entries": [{"key": "%s", "value": "ann"}]}]}
        """
        .formatted(key);
  }
}
