package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import io.penstock.server.admin.OpenApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Set;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The OpenAPI document, for comparing responses with it. */
public final class OpenApiDocument {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonNode DOCUMENT =
      JSON.valueToTree(new Load(LoadSettings.builder().build()).loadFromString(OpenApi.text()));

  private OpenApiDocument() {}

  static JsonNode root() {
    return DOCUMENT;
  }

  /** Fails unless the document describes this response to {@code method} at {@code path}. */
  public static void assertDocumented(String path, String method, HttpResponse<String> answer) {
    JsonNode operation = DOCUMENT.get("paths").get(path).get(method.toLowerCase(Locale.ROOT));
    JsonNode response =
        resolved(operation.get("responses").get(Integer.toString(answer.statusCode())));
    String type = answer.headers().firstValue("Content-Type").orElseThrow();
    JsonNode content = response.get("content").get(type);
    assertThat(content).as("%s of %s", type, path).isNotNull();
    assertThat(errors(content.get("schema"), answer.body())).as(answer.body()).isEmpty();
  }

  /** Fails unless a text is valid under a schema of the document. */
  static void assertMatches(String schema, String text) {
    assertThat(errors(DOCUMENT.get("components").get("schemas").get(schema), text))
        .as(text)
        .isEmpty();
  }

  static JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? DOCUMENT.at(node.get("$ref").asText().substring(1)) : node;
  }

  static Set<ValidationMessage> errors(JsonNode schema, String body) {
    ObjectNode whole = schema.deepCopy();
    whole.set("components", DOCUMENT.get("components"));
    try {
      return JsonSchemaFactory.getInstance(VersionFlag.V202012)
          .getSchema(whole)
          .validate(JSON.readTree(body));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
