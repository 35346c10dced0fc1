package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stream of live figures, on a running server. */
class LiveStreamTest {
  private static final String POLICY =
      """
      rules:
        - name: login
          limit_keys: [user_id]
          rate: 1/h
          burst: 1
        - name: tool
          limit_keys: ["header:x-api-key"]
          match: {path: /tool}
          rate: 1/h
          burst: 1
        - name: trial
          limit_keys: ["ip:address"]
          match: {path: /trial}
          rate: 1/h
          burst: 1
          mode: shadow
      """;
  private static final String HOSTILE = "<script>alert(1)</script>\u0000\u001b[2J\u2028\"\\";
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;
  private RunningServer server;

  @BeforeEach
  void start() {
    server = RunningServer.serving(folder, POLICY);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String user(String id) {
    try {
      return JSON.writeValueAsString(Map.of("attributes", Map.of("user_id", id)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void check(String question, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(server.check(question).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void stream_viewer_receivesFigures() throws Exception {
    check(user(HOSTILE), 3);
    server.admin("/v1/mode", "{\"mode\":\"shadow\",\"rule\":\"tool\"}");
    check("{\"path\":\"/tool\",\"headers\":{\"x-api-key\":\"sesame\"}}", 1);
    try (StreamViewer viewer = new StreamViewer(server)) {
      assertThat(viewer.response.statusCode()).isEqualTo(200);
      assertThat(viewer.response.headers().firstValue("Content-Type"))
          .contains("text/event-stream");
      assertThat(viewer.response.headers().firstValue("Cache-Control")).contains("no-store");
      assertThat(viewer.response.headers().firstValue("X-Accel-Buffering")).contains("no");
      JsonNode figures = viewer.next();
      while (figures.get("rules").size() < 2) {
        figures = viewer.next();
      }
      OpenApiDocument.assertMatches("LiveFigures", figures.toString());
      assertThat(figures.get("store").get("kind").asText()).isEqualTo("in-process");
      assertThat(figures.get("store").get("keys").asInt()).isEqualTo(2);
      assertThat(figures.get("leases").isNull()).isTrue();
      assertThat(figures.get("policy").get("rules").asInt()).isEqualTo(3);
      assertThat(figures.get("top").get(0).get("denied").asInt()).isEqualTo(2);
      while (!figures.get("top").get(0).has("level")) {
        figures = viewer.next();
      }
      OpenApiDocument.assertMatches("LiveFigures", figures.toString());
      assertThat(figures.get("top").get(0).get("level").toString())
          .isEqualTo("{\"limit\":1,\"remaining\":0}");
      assertThat(figures.get("rules").get(0).get("rule").asText()).isEqualTo("login");
      assertThat(figures.get("rules").get(1).get("mode").asText()).isEqualTo("shadow");
    }
  }

  @Test
  void stream_shutdown_endsForAllViewers() throws Exception {
    List<CompletableFuture<Void>> ended = new ArrayList<>();
    List<StreamViewer> viewers = new ArrayList<>();
    try (RunningServer closing = RunningServer.with(Map.of())) {
      for (int i = 0; i < 3; i++) {
        StreamViewer viewer = new StreamViewer(closing);
        viewers.add(viewer);
        assertThat(viewer.next()).isNotNull();
        ended.add(CompletableFuture.runAsync(viewer::readToEnd));
      }
    }
    for (CompletableFuture<Void> end : ended) {
      end.get(60, TimeUnit.SECONDS);
    }
    for (StreamViewer viewer : viewers) {
      viewer.close();
    }
  }

  @Test
  void stream_tooManyViewers_areRejectedUntilOneLeaves() throws Exception {
    List<StreamViewer> viewers = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        viewers.add(new StreamViewer(server));
        assertThat(viewers.get(i).response.statusCode()).isEqualTo(200);
      }
      try (StreamViewer more = new StreamViewer(server)) {
        assertThat(more.response.statusCode()).isEqualTo(503);
      }
      viewers.remove(0).close();
      await()
          .until(
              () -> {
                try (StreamViewer next = new StreamViewer(server)) {
                  return next.response.statusCode() == 200;
                }
              });
    } finally {
      for (StreamViewer viewer : viewers) {
        viewer.close();
      }
    }
  }

  @Test
  void stream_head_hasHeadersOnly() {
    HttpResponse<String> head =
        RunningServer.send(
            server
                .administration("/v1/stream")
                .method("HEAD", HttpRequest.BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.headers().firstValue("Content-Type")).contains("text/event-stream");
  }

  @Test
  void stream_redisUnavailable_hasTheReason() throws Exception {
    String policy = RunningServer.write(folder, POLICY).toString();
    try (RunningServer without =
            RunningServer.with(
                Map.of(Setting.POLICY, policy, Setting.REDIS, "redis://127.0.0.1:1"));
        StreamViewer viewer = new StreamViewer(without)) {
      assertThat(without.check(user("zoe")).statusCode()).isEqualTo(200);
      JsonNode figures = viewer.next();
      while (figures.get("rules").isEmpty()) {
        figures = viewer.next();
      }
      OpenApiDocument.assertMatches("LiveFigures", figures.toString());
      JsonNode store = figures.get("store");
      assertThat(store.get("kind").asText()).isEqualTo("redis");
      assertThat(store.get("available").asBoolean()).isFalse();
      assertThat(store.get("reason").asText()).isNotEmpty();
      assertThat(store.get("address").asText()).isEqualTo("127.0.0.1:1");
      assertThat(store.get("keys").isNull()).isTrue();
      assertThat(figures.get("leases").get("keys").asInt()).isZero();
      assertThat(figures.get("rules").get(0).get("degraded").asInt()).isEqualTo(1);
    }
  }
}
