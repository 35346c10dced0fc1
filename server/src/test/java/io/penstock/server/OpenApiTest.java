package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import io.penstock.server.admin.OpenApi;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/** The document says what the doors do: paths and methods, questions and answers. */
final class OpenApiTest {
  private static final ObjectMapper JSON = new ObjectMapper();
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
    document = JSON.valueToTree(new Yaml().<Map<String, Object>>load(OpenApi.text()));
    server = RunningServer.serving(folder, POLICY.replace("    enforce_percent: 50\n", ""));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void document_pathsAndMethods_areThoseOfTheDoors() {
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
      })
  void get_answer_isAsDocumented(String path, int status) throws Exception {
    HttpResponse<String> answer = server.admin(path);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertDocumented(path, "get", answer);
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
    assertDocumented(path, "post", answer);
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
        "/v1/keys/peek;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"}};200",
        "/v1/keys/peek;{\"rule\":\"none\"};404",
        "/v1/keys/peek;{\"key\":{}};400",
        "/v1/keys/reset;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"}};200",
        "/v1/keys/grant;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"},\"tokens\":1};200",
        "/v1/keys/grant;{\"rule\":\"one\",\"key\":{\"user_id\":\"7\"},\"tokens\":0};400",
      })
  void post_admin_isAsDocumented(String path, String body, int status) throws Exception {
    HttpResponse<String> answer = server.admin(path, body);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertDocumented(path, "post", answer);
    assertQuestion(path, body, status);
  }

  @Test
  void forwardAuth_denial_isAsDocumented() throws Exception {
    HttpRequest.Builder request =
        server.decision("/v1/forward-auth?deny_status=1").header("X-Original-URI", "/");
    HttpResponse<String> refused = RunningServer.send(request);
    assertDocumented("/v1/forward-auth", "get", refused);
  }

  private static void assertQuestion(String path, String body, int status) throws Exception {
    if (status == 404) {
      return;
    }
    JsonNode operation = document.get("paths").get(path).get("post");
    JsonNode request = resolved(operation.get("requestBody"));
    JsonNode schema = request.get("content").get("application/json").get("schema");
    assertThat(errors(schema, body).isEmpty()).as(body).isEqualTo(status == 200);
  }

  private static void assertDocumented(String path, String method, HttpResponse<String> answer)
      throws Exception {
    JsonNode response =
        resolved(
            document
                .get("paths")
                .get(path)
                .get(method)
                .get("responses")
                .get(Integer.toString(answer.statusCode())));
    String type = answer.headers().firstValue("Content-Type").orElseThrow();
    JsonNode content = response.get("content").get(type);
    assertThat(content).as("%s of %s", type, path).isNotNull();
    assertThat(errors(content.get("schema"), answer.body())).as(answer.body()).isEmpty();
  }

  private static JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? document.at(node.get("$ref").asText().substring(1)) : node;
  }

  private static Set<ValidationMessage> errors(JsonNode schema, String body) throws Exception {
    ObjectNode whole = schema.deepCopy();
    whole.set("components", document.get("components"));
    JsonSchema compiled = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(whole);
    return compiled.validate(JSON.readTree(body));
  }
}
