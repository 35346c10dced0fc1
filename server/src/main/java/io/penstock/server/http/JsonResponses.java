package io.penstock.server.http;

import io.penstock.policy.http.Json;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/** JSON responses. */
public final class JsonResponses {
  public static final String TYPE = "application/json";

  private JsonResponses() {}

  /** Ends a response with the content that {@code body} writes. */
  public static Future<Void> end(HttpServerResponse response, Json.JsonContent body) {
    return end(response, TYPE, body);
  }

  static Future<Void> end(HttpServerResponse response, String type, Json.JsonContent body) {
    return response
        .putHeader("Content-Type", type)
        .putHeader("Cache-Control", "no-store")
        .end(Buffer.buffer(Json.bytes(body)));
  }
}
