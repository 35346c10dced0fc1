package io.penstock.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.accesslog.SafeText;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problem;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/** Prints JSON. */
final class JsonText {
  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonText() {}

  /** The content of a document. */
  @FunctionalInterface
  interface PrintedJson {
    void writeTo(JsonGenerator json) throws IOException;
  }

  static String of(PrintedJson body) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text).useDefaultPrettyPrinter()) {
      body.writeTo(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    // Strings may come from logs, and a terminal may interpret other control characters, too.
    return SafeText.ofJson(text.toString());
  }

  static void writeProblems(List<Problem> problems, JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("problems");
    for (Problem problem : problems) {
      json.writeStartObject();
      json.writeStringField("severity", problem.severity().name().toLowerCase(Locale.ROOT));
      writeLocation(problem.location(), json);
      json.writeStringField("field", problem.path().isEmpty() ? null : problem.path());
      json.writeStringField("message", problem.message());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Writes a location. Line and column are null for a file as a whole. */
  static void writeLocation(Location location, JsonGenerator json) throws IOException {
    json.writeStringField("file", location.file());
    if (location.line() == 0) {
      json.writeNullField("line");
      json.writeNullField("column");
    } else {
      json.writeNumberField("line", location.line());
      json.writeNumberField("column", location.column());
    }
  }
}
