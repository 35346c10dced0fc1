package io.penstock.policy.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes JSON in memory. */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final int INITIAL_CAPACITY = 512;

  private Json() {}

  /** A value that can be written as JSON. */
  @FunctionalInterface
  public interface JsonContent {
    void writeTo(JsonGenerator json) throws IOException;
  }

  /** Writes an amount in thousandths as a decimal number of tokens without trailing zeros. */
  static void writeTokens(JsonGenerator json, long thousandths) throws IOException {
    if (thousandths % Rounding.TOKEN == 0) {
      json.writeNumber(thousandths / Rounding.TOKEN);
    } else {
      json.writeNumber(Rounding.tokens(thousandths));
    }
  }

  /** Returns what {@code body} writes, as UTF-8. */
  public static byte[] bytes(JsonContent body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(INITIAL_CAPACITY);
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      body.writeTo(json);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }
}
