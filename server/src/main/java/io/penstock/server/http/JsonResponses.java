package io.penstock.server.http;

import io.penstock.policy.http.Json;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;

/** JSON responses. */
public final class JsonResponses {
  public static final String TYPE = "application/json";

  private static final int MIN_COMPRESSED_BYTES = 1_000;

  private JsonResponses() {}

  /** Ends a response with the content that {@code body} writes. */
  public static Future<Void> end(HttpServerResponse response, Json.JsonContent body) {
    return end(response, TYPE, body);
  }

  /** Ends a response that may be large; it is compressed if the client accepts that. */
  public static Future<Void> endLarge(HttpServerRequest request, Json.JsonContent body) {
    HttpServerResponse response =
        request
            .response()
            .putHeader("Content-Type", TYPE)
            .putHeader("Cache-Control", "no-store")
            .putHeader("Vary", "Accept-Encoding");
    byte[] content = Json.bytes(body);
    if (content.length >= MIN_COMPRESSED_BYTES
        && HeaderLists.accepts(request.getHeader("Accept-Encoding"), "gzip")) {
      response.putHeader("Content-Encoding", "gzip");
      content = compressed(content);
    }
    return response.end(Buffer.buffer(content));
  }

  private static byte[] compressed(byte[] content) {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return compressed.toByteArray();
  }

  static Future<Void> end(HttpServerResponse response, String type, Json.JsonContent body) {
    return response
        .putHeader("Content-Type", type)
        .putHeader("Cache-Control", "no-store")
        .end(Buffer.buffer(Json.bytes(body)));
  }
}
