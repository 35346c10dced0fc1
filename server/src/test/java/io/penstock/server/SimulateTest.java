package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The endpoint that simulates limits, on a running server. */
class SimulateTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = RunningServer.with(Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void simulate_steadyAndBurst_returnsPointsOfTheEngine() throws Exception {
    JsonNode result =
        JSON.readTree(
            server
                .admin(
                    "/v1/simulate",
                    "{\"rate\":\"10/s\",\"burst\":50,\"duration_ms\":60000,"
                        + "\"arrivals\":[{\"at_ms\":0,\"requests\":60},{\"at_ms\":1000,\"requests\":20}]}")
                .body());
    assertThat(result.get("allowed").asInt()).isEqualTo(60);
    assertThat(result.get("denied").asInt()).isEqualTo(20);
    assertThat(result.get("burst").asInt()).isEqualTo(50);
    assertThat(result.get("rate").asText()).isEqualTo("10/s");
    assertThat(result.get("points")).hasSize(600);
    assertThat(result.get("points").get(0).get("level").asDouble()).isEqualTo(1);
    assertThat(result.get("points").get(599).get("level").asDouble()).isEqualTo(50);
  }

  @Test
  void simulate_invalid_isRejectedWithTheField() {
    Map<String, String> bodies = new HashMap<>();
    bodies.put("{\"rate\":\"0/s\",\"pattern\":{\"kind\":\"steady\",\"rate\":1}}", "rate");
    bodies.put("{\"rate\":\"1/s\"}", "arrivals");
    bodies.put("{\"rate\":\"1/s\",\"arrivals\":[{\"requests\":1}]}", "arrivals[0].at_ms");
    bodies.put("{\"rate\":\"1/s\",\"arrivals\":[{\"at_ms\":-1}]}", "arrivals[0].at_ms");
    bodies.put("{\"rate\":\"1/s\",\"arrivals\":[{\"at_ms\":0,\"cost\":-1}]}", "arrivals[0].cost");
    bodies.put("{\"rate\":\"1/s\",\"arrivals\":[],\"retry\":\"never\"}", "retry");
    bodies.put("{\"rate\":\"1/s\",\"arrivals\":[],\"duration_ms\":3600001}", "duration_ms");
    bodies.put("{\"rate\":\"1/s\",\"pattern\":{\"kind\":\"steady\",\"rate\":1e6}}", "pattern.rate");
    bodies.put("{\"rate\":\"1/s\",\"arrivals\":[],\"x\":1}", "x");
    bodies.forEach(
        (body, field) -> {
          HttpResponse<String> answer = server.admin("/v1/simulate", body);
          assertThat(answer.statusCode()).as(body).isEqualTo(400);
          assertThat(answer.body()).contains("\"field\":\"" + field + "\"");
        });
  }

  @Test
  void simulate_tooManyDecisions_isRejected() {
    StringBuilder arrivals = new StringBuilder();
    for (int at = 0; at < 1_000; at++) {
      arrivals.append(at == 0 ? "" : ",").append("{\"at_ms\":").append(at % 100).append('}');
    }
    HttpResponse<String> answer =
        server.admin(
            "/v1/simulate",
            "{\"rate\":\"1/d\",\"burst\":1,\"duration_ms\":3600000,\"retry\":\"at_once\",\"arrivals\":["
                + arrivals
                + "]}");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("more than 2000000 decisions");
  }
}
