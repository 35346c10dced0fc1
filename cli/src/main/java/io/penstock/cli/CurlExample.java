package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.cases.DenialExample;
import io.penstock.policy.http.Json;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Formats an example of a denial as a shell command that sends it with curl. */
final class CurlExample {
  private static final Map<AttributeSource, String> OBJECTS =
      new EnumMap<>(
          Map.of(
              AttributeSource.HEADER, "headers",
              AttributeSource.QUERY, "query",
              AttributeSource.COOKIE, "cookies",
              AttributeSource.CLAIM, "jwt",
              AttributeSource.STATED, "attributes"));

  private CurlExample() {}

  /**
   * Returns the command that sends the request to the proxy.
   *
   * @param baseUrl its URL without a path, after any options of curl
   */
  static String toProxy(DenialExample example, String baseUrl) {
    String method = value(example, AttributeSource.METHOD, "GET");
    StringBuilder curl = new StringBuilder("curl -si");
    if (method.equals("HEAD")) {
      curl.append(" -I");
    } else if (!method.equals("GET")) {
      curl.append(" -X ").append(quoted(method));
    }
    String host = value(example, AttributeSource.HOST, "");
    if (!host.isEmpty()) {
      curl.append(header("Host", host));
    }
    curl.append(headers(example));
    String path = value(example, AttributeSource.PATH, "/");
    curl.append(' ').append(baseUrl).append(path.equals("/") ? path : quoted(path));
    return repeated(example, curl.toString());
  }

  /**
   * Returns the command that sends the request to {@code /v1/forward-auth} at {@code baseUrl}.
   *
   * @param options further options of curl
   */
  static String toForwardAuth(DenialExample example, String baseUrl, String options) {
    StringBuilder curl = new StringBuilder("curl -si").append(options);
    example
        .values()
        .forEach(
            (attribute, value) -> {
              switch (attribute.source()) {
                case METHOD -> curl.append(header("X-Original-Method", value));
                case PATH -> curl.append(header("X-Original-URI", value));
                case HOST -> curl.append(header("X-Original-Host", value));
                default -> {}
              }
            });
    curl.append(headers(example)).append(' ').append(baseUrl).append("/v1/forward-auth");
    return repeated(example, curl.toString());
  }

  /**
   * Returns the command that sends the request to {@code /v1/check} at {@code baseUrl}.
   *
   * @param options further options of curl
   */
  static String toCheck(DenialExample example, String baseUrl, String options) {
    String body = new String(Json.bytes(json -> writeBody(example, json)), UTF_8);
    return repeated(
        example, "curl -s" + options + " " + baseUrl + "/v1/check -d " + quoted(body) + "; echo");
  }

  private static void writeBody(DenialExample example, JsonGenerator json) throws IOException {
    Map<String, Map<String, String>> objects = new TreeMap<>();
    json.writeStartObject();
    for (Map.Entry<Attribute, String> entry : example.values().entrySet()) {
      Attribute attribute = entry.getKey();
      String object = OBJECTS.get(attribute.source());
      if (object == null) {
        boolean address = attribute.source() == AttributeSource.ADDRESS;
        json.writeStringField(address ? "ip" : attribute.toString(), entry.getValue());
      } else {
        objects
            .computeIfAbsent(object, unused -> new TreeMap<>())
            .put(attribute.name(), entry.getValue());
      }
    }
    for (Map.Entry<String, Map<String, String>> object : objects.entrySet()) {
      json.writeObjectFieldStart(object.getKey());
      for (Map.Entry<String, String> value : object.getValue().entrySet()) {
        json.writeStringField(value.getKey(), value.getValue());
      }
      json.writeEndObject();
    }
    if (example.cost() > 0) {
      json.writeNumberField("cost", example.cost());
    }
    json.writeEndObject();
  }

  private static String value(DenialExample example, AttributeSource source, String otherwise) {
    return example.values().getOrDefault(new Attribute(source, ""), otherwise);
  }

  private static String headers(DenialExample example) {
    StringBuilder headers = new StringBuilder();
    example
        .values()
        .forEach(
            (attribute, value) -> {
              if (attribute.source() == AttributeSource.HEADER) {
                headers.append(header(attribute.name(), value));
              }
            });
    return headers.toString();
  }

  private static String header(String name, String value) {
    return " -H " + quoted(name + ": " + value);
  }

  /** Unless the example is exact, the first response with status 429 ends the loop. */
  private static String repeated(DenialExample example, String command) {
    String until = example.exact() ? "" : " | tee /dev/stderr | grep -q '^HTTP[^ ]* 429' && break";
    return "for i in $(seq " + example.times() + "); do " + command + until + "; done";
  }

  /** Quotes text for a POSIX shell. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
