package io.penstock.server.database;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.server.OpenApiDocument;
import io.penstock.server.RunningServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** A client of the rule endpoints of the admin listener. */
record RuleApi(RunningServer server) {
  private static final ObjectMapper JSON = new ObjectMapper();

  HttpResponse<String> post(String body) {
    return send("POST", "/v1/rules", body);
  }

  /** Sends a request, and checks that the response is as documented. */
  HttpResponse<String> send(String method, String path, String body) {
    HttpResponse<String> answer =
        RunningServer.send(
            server.administration(path).method(method, HttpRequest.BodyPublishers.ofString(body)));
    String bare = path.replaceAll("\\?.*", "");
    OpenApiDocument.assertDocumented(
        bare.startsWith("/v1/rules/") ? "/v1/rules/{name}" : bare, method, answer);
    return answer;
  }

  HttpResponse<String> put(String name, String body) {
    return send("PUT", "/v1/rules/" + encoded(name), body);
  }

  HttpResponse<String> get(String name) {
    return send("GET", "/v1/rules/" + encoded(name), "");
  }

  long version(String name) {
    return json(get(name)).get("version").asLong();
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
