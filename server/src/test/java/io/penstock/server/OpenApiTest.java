package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.server.admin.OpenApi;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The OpenAPI document matches the listeners: paths, methods, requests and responses. */
final class OpenApiTest {
  private static final String POLICY =
      """
      rules:
        - name: one
          limit_keys: [user_id]
          rate: 1/h
          burst: 1
        - name: window
          limit_keys: ["ip:address"]
          algorithm: fixed_window
          limit: 5
          window: 1m
          mode: shadow
          enforce_percent: 50
      """;

  @TempDir private static Path folder;
  private static JsonNode document;
  private static RunningServer server;

  @BeforeAll
  static void start() {
    document = OpenApiDocument.root();
    server = RunningServer.serving(folder, POLICY.replace("    enforce_percent: 50\n", ""));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void document_pathsAndMethods_matchTheListeners() {
    Map<String, Set<String>> documented = new TreeMap<>();
    document
        .get("paths")
        .properties()
        .forEach(
            path -> {
              Set<String> methods = new TreeSet<>();
              path.getValue()
                  .fieldNames()
                  .forEachRemaining(name -> methods.add(name.toUpperCase(java.util.Locale.ROOT)));
              documented.put(path.getKey(), methods);
            });
    Map<String, Set<String>> served = new TreeMap<>(server.server().paths());
    served.put("/v1/forward-auth", Set.of("GET"));
    assertThat(documented).isEqualTo(served);
  }

  /** YAML ends a value without quotes at a comma, and reads the rest of it as a name. */
  @Test
  void document_properties_haveValues() {
    assertThat(withoutValue(document, "").toList()).isEmpty();
  }

  private static Stream<String> withoutValue(JsonNode node, String path) {
    if (node.isArray()) {
      return node.valueStream().flatMap(item -> withoutValue(item, path + "[]"));
    }
    return node.propertyStream()
        .flatMap(
            property -> {
              String name = path + "/" + property.getKey();
              return property.getValue().isNull()
                  ? Stream.of(name)
                  : withoutValue(property.getValue(), name);
            });
  }

  @Test
  void document_served_isTheDocument() {
    assertThat(server.admin("/v1/openapi.yaml").body()).isEqualTo(OpenApi.text());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "/livez;200",
        "/readyz;200",
        "/v1/policy;200",
        "/v1/mode;200",
        "/v1/top;200",
        "/v1/activity;200",
        "/v1/timeline;200",
        "/v1/session;200",
        "/v1/keys/overrides;200",
        "/v1/violations;200",
      })
  void get_answer_isAsDocumented(String path, int status) throws Exception {
    HttpResponse<String> answer = server.admin(path);
    assertThat(answer.statusCode()).isEqualTo(status);
    OpenApiDocument.assertDocumented(path, "get", answer);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "/v1/check;{};200",
        "/v1/check;{\"ip\":\"::1\",\"attributes\":{\"user_id\":\"1\"}};200",
        "/v1/check;{\"ip\":\"::1\",\"attributes\":{\"user_id\":\"1\"},\"cost\":2};200",
        "/v1/check;{\"cost\":\"x\",\"y\":1};400",
        "/v1/check/batch;{\"checks\":[{},{\"dry_run\":true}]};200",
        "/v1/check/batch;[];400",
      })
  void post_decision_isAsDocumented(String path, String body, int status) throws Exception {
    HttpResponse<String> answer = server.post(path, body);
    assertThat(answer.statusCode()).isEqualTo(status);
    OpenApiDocument.assertDocumented(path, "post", answer);
    assertQuestion(path, body, status);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "/v1/explain;{\"ip\":\"::1\",\"attributes\":{\"user_id\":\"7\"}};200",
        "/v1/explain;{\"z\":1};400",
        "/v1/mode;{\"mode\":\"shadow\",\"for\":\"1s\"};200",
        "/v1/mode;{\"mode\":\"policy\"};200",
        "/v1/mode;{\"mode\":\"on\"};400",
        "/v1/mode;{\"mode\":\"shadow\",\"for\":\"1h\",\"rule\":\"one\"};200",
        "/v1/mode;{\"mode\":\"policy\",\"rule\":\"one\"};200",
        "/v1/mode;{\"mode\":\"shadow\",\"rule\":\"none\"};404",
        "/v1/simulate;{\"rate\":\"1/s\",\"arrivals\":[{\"at_ms\":0,\"requests\":3}]};200",
        "/v1/simulate;{\"rate\":\"1/s\",\"pattern\":{\"kind\":\"steady\",\"rate\":2}};200",
        "/v1/simulate;{\"rate\":\"1/s\",\"pattern\":{\"kind\":\"wild\",\"rate\":2}};400",
        "/v1/keys/peek;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"}};200",
        "/v1/keys/peek;{\"rule\":\"none\"};404",
        "/v1/keys/peek;{\"key\":{}};400",
        "/v1/keys/reset;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"}};200",
        "/v1/keys/grant;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"},\"tokens\":1};200",
        "/v1/keys/grant;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"},\"tokens\":0};400",
        "/v1/keys/override;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"},\"rate\":\"2/s\",\"burst\":4,\"for\":\"1h\"};200",
        "/v1/keys/override;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"},\"burst\":4};400",
        "/v1/keys/override/end;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"}};200",
      })
  void post_admin_isAsDocumented(String path, String body, int status) throws Exception {
    HttpResponse<String> answer = server.admin(path, body);
    assertThat(answer.statusCode()).isEqualTo(status);
    OpenApiDocument.assertDocumented(path, "post", answer);
    assertQuestion(path, body, status);
  }

  @Test
  void forwardAuth_denial_isAsDocumented() throws Exception {
    HttpRequest.Builder request =
        server.decision("/v1/forward-auth?deny_status=1").header("X-Original-URI", "/");
    HttpResponse<String> rejected = RunningServer.send(request);
    OpenApiDocument.assertDocumented("/v1/forward-auth", "get", rejected);
  }

  private static void assertQuestion(String path, String body, int status) throws Exception {
    if (status == 404) {
      return;
    }
    JsonNode operation = document.get("paths").get(path).get("post");
    JsonNode request = OpenApiDocument.resolved(operation.get("requestBody"));
    JsonNode schema = request.get("content").get("application/json").get("schema");
    assertThat(OpenApiDocument.errors(schema, body).isEmpty()).as(body).isEqualTo(status == 200);
  }
}
