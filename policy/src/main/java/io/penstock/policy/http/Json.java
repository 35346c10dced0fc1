package io.penstock.policy.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** JSON in memory. */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final int USUAL_BYTES = 512;

  private Json() {}

  /** Something that can be written. */
  @FunctionalInterface
  public interface JsonContent {
    void writeTo(JsonGenerator json) throws IOException;
  }

  /** The UTF-8 of what {@code body} writes. */
  public static byte[] bytes(JsonContent body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(USUAL_BYTES);
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      body.writeTo(json);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }
}
