package io.penstock.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Answers in JSON. */
public final class Json {
  public static final String TYPE = "application/json";

  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /** Something that can be written. */
  @FunctionalInterface
  public interface Body {
    void writeTo(JsonGenerator json) throws IOException;
  }

  /** Ends a response with what {@code body} writes. */
  public static Future<Void> end(HttpServerResponse response, Body body) {
    return end(response, TYPE, body);
  }

  static Future<Void> end(HttpServerResponse response, String type, Body body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      body.writeTo(json);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return response
        .putHeader("Content-Type", type)
        .putHeader("Cache-Control", "no-store")
        .end(Buffer.buffer(bytes.toByteArray()));
  }
}
