package io.penstock.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problem;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/** What is printed for programs. */
final class JsonText {
  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonText() {}

  /** Something that can be written. */
  @FunctionalInterface
  interface PrintedJson {
    void writeTo(JsonGenerator json) throws IOException;
  }

  static String of(PrintedJson body) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text).useDefaultPrettyPrinter()) {
      body.writeTo(json);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return text.toString();
  }

  static void writeProblems(List<Problem> problems, JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("problems");
    for (Problem problem : problems) {
      json.writeStartObject();
      json.writeStringField("severity", problem.severity().name().toLowerCase(Locale.ROOT));
      writePlace(problem.location(), json);
      json.writeStringField("field", problem.path().isEmpty() ? null : problem.path());
      json.writeStringField("message", problem.message());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** A place; line and column are null if it is a file as a whole. */
  static void writePlace(Location place, JsonGenerator json) throws IOException {
    json.writeStringField("file", place.file());
    if (place.line() == 0) {
      json.writeNullField("line");
      json.writeNullField("column");
    } else {
      json.writeNumberField("line", place.line());
      json.writeNumberField("column", place.column());
    }
  }
}
