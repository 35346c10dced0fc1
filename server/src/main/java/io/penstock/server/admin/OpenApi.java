package io.penstock.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The OpenAPI description of the decision and admin listeners. */
public final class OpenApi {
  private static final String NAME = "openapi.yaml";

  private OpenApi() {}

  /** Returns the description in YAML. */
  public static String text() {
    try (InputStream in = OpenApi.class.getResourceAsStream("/io/penstock/server/" + NAME)) {
      if (in == null) {
        throw new IllegalStateException("missing resource: " + NAME);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void respond(HttpServerRequest request) {
    request.response().putHeader("Content-Type", "application/yaml").end(text());
  }
}
