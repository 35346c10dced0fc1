package io.penstock.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.penstock.server.RunningServer;
import io.penstock.server.envoy.proto.health.HealthCheckResponse;
import io.penstock.testing.Waiting;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Changes of the configuration for Envoy, health, and the endpoints without gRPC. */
class EnvoyEndpointsTest extends EnvoyServiceSetup {
  @Test
  void reload_changedLimit_keepsWhatWasConsumed() throws IOException {
    take("user=ann", 3);
    Files.writeString(file, CONFIG.replace("requests_per_unit: 3", "requests_per_unit: 5"));
    server.server().reload();

    assertThat(remaining("user=ann")).isEqualTo(2);
  }

  @Test
  void file_changed_takesEffect() throws IOException {
    take("user=ann", 3);
    Files.writeString(file, CONFIG.replace("requests_per_unit: 3", "requests_per_unit: 4"));

    Waiting.await().until(() -> remaining("user=ann") == 1);
  }

  @Test
  void reload_invalidConfiguration_changesNothing() throws IOException {
    Files.writeString(file, "domain: shop\ndescriptors: 5\n");
    server.server().reload();

    assertThat(remaining("user=ann")).isEqualTo(3);
    assertThat(server.admin("/metrics").body())
        .contains("penstock_envoy_reloads_total{outcome=\"rejected\"} 1.0");
    assertThat(server.admin("/readyz").body())
        .contains("\"envoy\":{\"domains\":1,\"limits\":9,\"rejected\":[")
        .contains("descriptors: must be a list");
  }

  @Test
  void health_knownServices_areServing() {
    for (String service : List.of("", "ratelimit", "envoy.service.ratelimit.v3.RateLimitService")) {
      assertThat(client.health(service).getStatus())
          .isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
    }
    assertThat(
            catchThrowableOfType(StatusRuntimeException.class, () -> client.health("other"))
                .getStatus()
                .getCode())
        .isEqualTo(Status.Code.NOT_FOUND);
  }

  @Test
  void healthWatch_shutdown_isReported() {
    Iterator<HealthCheckResponse> statuses = client.watch("");
    Iterator<HealthCheckResponse> unknown = client.watch("other");
    assertThat(statuses.next().getStatus()).isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
    assertThat(unknown.next().getStatus())
        .isEqualTo(HealthCheckResponse.ServingStatus.SERVICE_UNKNOWN);
    server.close();

    assertThat(statuses.next().getStatus())
        .isEqualTo(HealthCheckResponse.ServingStatus.NOT_SERVING);
    assertThat(statuses.hasNext()).isFalse();
    start(Map.of());
  }

  @Test
  void json_request_isAnsweredOnBothPorts() {
    String question = question("user");
    for (int port : ports()) {
      HttpResponse<String> response = post(port, question.replace("ann", "ann" + port));
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body())
          .isEqualTo(
              """
              {"overallCode":"OK","statuses":[{"code":"OK","currentLimit":{"name":"per_user",\
              "requestsPerUnit":3,"unit":"MINUTE"},"limitRemaining":1,"durationUntilReset":"40s"}]}\
              """);
    }
  }

  @Test
  void json_overLimit_is429() {
    HttpResponse<String> response =
        post(
            ports()[0],
            """
            {"domain": "shop", "descriptors": [
              {"entries": [{"key": "user", "value": "ann"}], "hits_addend": "4"}]}
            """);

    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(response.body()).startsWith("{\"overallCode\":\"OVER_LIMIT\"");
  }

  @Test
  void json_invalidRequest_is400WithTheReason() {
    assertThat(post(ports()[0], "{\"domain\": \"shop\", \"descriptor\": []}").body())
        .contains("unknown field; did you mean descriptors?");
    assertThat(post(ports()[0], "{\"domain\": \"shop\"}").body())
        .contains("descriptors must not be empty");
    assertThat(
            post(
                    ports()[0],
                    "{\"domain\": \"shop\", \"descriptors\": [{\"limit\": {\"unit\": \"EON\"}}]}")
                .statusCode())
        .isEqualTo(400);
  }

  @Test
  void healthcheck_running_isOk() {
    for (int port : ports()) {
      HttpResponse<String> response =
          RunningServer.send(HttpRequest.newBuilder(uri(port, "/healthcheck")));
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body()).isEqualTo("OK");
    }
  }
}
