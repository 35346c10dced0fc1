package io.penstock.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.http.Json;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problem;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.util.List;

/** Error responses in the problem details format (RFC 9457). */
public final class ProblemResponses {
  /** The detail of the response to a request that could not be decided. */
  public static final String UNDECIDED_DETAIL = "The request could not be decided";

  /** The media type of the responses. */
  static final String TYPE = "application/problem+json";

  private ProblemResponses() {}

  /** Ends a response; does nothing if the response has been started. */
  public static Future<Void> end(
      HttpServerResponse response, int status, String title, String detail) {
    return end(response, status, title, detail, List.of());
  }

  /** Responds to a request that could not be decided because of an internal error. */
  public static Future<Void> undecided(HttpServerResponse response) {
    return end(response, 500, "Internal Server Error", UNDECIDED_DETAIL);
  }

  /** Responds with the errors of a document, each with its location. */
  public static Future<Void> badDocument(HttpServerResponse response, List<Problem> errors) {
    return end(response, 400, "Bad Request", "The body is invalid", errors);
  }

  private static Future<Void> end(
      HttpServerResponse response, int status, String title, String detail, List<Problem> errors) {
    if (response.headWritten() || response.closed()) {
      return Future.succeededFuture();
    }
    return JsonResponses.end(
        // A response of the origin that can't be forwarded may have set the reason phrase already.
        response.setStatusCode(status).setStatusMessage(title),
        TYPE,
        content(status, title, detail, errors));
  }

  /** Returns the body of a response without errors of a document. */
  static byte[] body(int status, String title, String detail) {
    return Json.bytes(content(status, title, detail, List.of()));
  }

  private static Json.JsonContent content(
      int status, String title, String detail, List<Problem> errors) {
    return json -> {
      json.writeStartObject();
      json.writeStringField("type", "about:blank");
      json.writeStringField("title", title);
      json.writeNumberField("status", status);
      json.writeStringField("detail", detail);
      if (!errors.isEmpty()) {
        json.writeArrayFieldStart("errors");
        for (Problem error : errors) {
          write(error, json);
        }
        json.writeEndArray();
      }
      json.writeEndObject();
    };
  }

  private static void write(Problem error, JsonGenerator json) throws IOException {
    Location location = error.location();
    json.writeStartObject();
    json.writeStringField("field", error.path());
    json.writeStringField("message", error.message());
    json.writeNumberField("line", location.line());
    json.writeNumberField("column", location.column());
    json.writeEndObject();
  }
}
