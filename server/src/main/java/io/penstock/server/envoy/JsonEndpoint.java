package io.penstock.server.envoy;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.server.envoy.LimitAnswer.CurrentLimit;
import io.penstock.server.envoy.LimitAnswer.DescriptorStatus;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rate limit service for clients without gRPC: its messages as JSON. Thread-safe. */
final class JsonEndpoint implements Handler<HttpServerRequest> {
  static final String PATH = "/json";

  private static final int OVER_LIMIT = 429;
  private static final String HITS = "hits_addend";
  private static final String HITS_IN_CAMEL_CASE = "hitsAddend";

  private final LimitDecisions decisions;
  private final AnswerHeaders headers;
  private final LimitMeters meters;
  private final Bodies bodies;

  JsonEndpoint(LimitDecisions decisions, AnswerHeaders headers, LimitMeters meters, Bodies bodies) {
    this.decisions = decisions;
    this.headers = headers;
    this.meters = meters;
    this.bodies = bodies;
  }

  @Override
  public void handle(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    bodies.read(
        request,
        body ->
            JsonDocuments.readUnlocated(
                request, body, JsonEndpoint::query, query -> decide(query, response)));
  }

  private void decide(LimitQuery query, HttpServerResponse response) {
    try {
      decisions.decide(
          query,
          VertxInternals::eventLoop,
          new LimitDecisions.AnswerHandler() {
            @Override
            public void answered(LimitAnswer answer) {
              response.setStatusCode(answer.allowed() ? 200 : OVER_LIMIT);
              var unused =
                  JsonResponses.end(response, json -> write(answer, headers.of(answer), json));
            }

            @Override
            public void unconfigured() {
              ProblemResponses.end(
                  response, 503, "Service Unavailable", "No configuration has been loaded yet.");
            }

            @Override
            public void undecided() {
              ProblemResponses.undecided(response);
            }
          });
    } catch (InvalidQueryException invalid) {
      meters.invalid();
      ProblemResponses.end(response, 400, "Bad Request", String.valueOf(invalid.getMessage()));
    }
  }

  /** Reads a request whose fields may be named as in protobuf or in camel case. */
  private static @Nullable LimitQuery query(Node document, Problems problems) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null) {
      return null;
    }
    String domain = fields.given("domain") ? fields.text("domain") : "";
    long hits = either(fields, HITS, HITS_IN_CAMEL_CASE) == null ? 0 : hits(fields);
    List<DescriptorQuery> descriptors = new ArrayList<>();
    for (Located<Node> item : list(fields, "descriptors")) {
      Fields descriptor = Fields.of(item, problems);
      if (descriptor != null) {
        descriptors.add(descriptor(descriptor, Math.max(1, hits), problems));
      }
    }
    fields.done();
    if (problems.errorCount() > 0) {
      return null;
    }
    try {
      return new LimitQuery(domain == null ? "" : domain, hits, descriptors);
    } catch (InvalidQueryException invalid) {
      problems.error(fields.at(), "", String.valueOf(invalid.getMessage()));
      return null;
    }
  }

  private static DescriptorQuery descriptor(Fields fields, long hitsOfRequest, Problems problems) {
    List<DescriptorEntry> entries = new ArrayList<>();
    for (Located<Node> item : list(fields, "entries")) {
      Fields entry = Fields.of(item, problems);
      if (entry != null) {
        entries.add(new DescriptorEntry(text(entry, "key"), text(entry, "value")));
        entry.done();
      }
    }
    Fields limit = fields.given("limit") ? fields.mapping("limit") : null;
    String negative = either(fields, "is_negative_hits", "isNegativeHits");
    boolean statesHits = either(fields, HITS, HITS_IN_CAMEL_CASE) != null;
    DescriptorQuery descriptor =
        new DescriptorQuery(
            entries,
            limit == null ? null : override(limit),
            statesHits ? hits(fields) : hitsOfRequest,
            statesHits,
            negative != null && fields.flag(negative));
    fields.done();
    return descriptor;
  }

  private static LimitOverride override(Fields fields) {
    String name = either(fields, "requests_per_unit", "requestsPerUnit");
    long requests = name == null ? 0 : whole(fields, name);
    LimitUnit unit = fields.given("unit") ? fields.text("unit", JsonEndpoint::unit) : null;
    if (!fields.given("unit")) {
      fields.error("unit", "is required");
    }
    fields.done();
    return new LimitOverride(unit == null ? LimitUnit.SECOND : unit, requests);
  }

  private static LimitUnit unit(String name) {
    for (LimitUnit unit : LimitUnit.values()) {
      if (unit.name().equals(name)) {
        return unit;
      }
    }
    throw new IllegalArgumentException(
        "must be SECOND, MINUTE, HOUR, DAY, WEEK, MONTH or YEAR: " + name);
  }

  private static long hits(Fields fields) {
    String name = either(fields, HITS, HITS_IN_CAMEL_CASE);
    return name == null ? 0 : whole(fields, name);
  }

  /** Reads an unsigned number. JSON of protobuf states numbers of 64 bits as text. */
  private static long whole(Fields fields, String name) {
    BigInteger number =
        fields.text(
            name,
            text -> {
              if (!text.matches("[0-9]{1,20}")) {
                throw new IllegalArgumentException("must be a whole number from 0: " + text);
              }
              return new BigInteger(text);
            });
    return number == null
        ? 0
        : number.min(BigInteger.valueOf(DescriptorQuery.MAX_HITS)).longValueExact();
  }

  private static @Nullable String either(Fields fields, String name, String camelCase) {
    boolean given = fields.given(name);
    boolean givenInCamelCase = fields.given(camelCase);
    return given ? name : givenInCamelCase ? camelCase : null;
  }

  private static String text(Fields fields, String name) {
    String text = fields.given(name) ? fields.text(name) : null;
    return text == null ? "" : text;
  }

  private static List<Located<Node>> list(Fields fields, String name) {
    List<Located<Node>> items = fields.given(name) ? fields.list(name) : null;
    return items == null ? List.of() : items;
  }

  /** Writes a response without fields that have their default values, as protobuf does. */
  private static void write(LimitAnswer answer, Map<String, String> added, JsonGenerator json)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("overallCode", code(answer.allowed()));
    json.writeArrayFieldStart("statuses");
    for (DescriptorStatus status : answer.statuses()) {
      write(status, json);
    }
    json.writeEndArray();
    if (!added.isEmpty()) {
      json.writeArrayFieldStart("responseHeadersToAdd");
      for (Map.Entry<String, String> header : added.entrySet()) {
        json.writeStartObject();
        json.writeStringField("key", header.getKey());
        json.writeStringField("value", header.getValue());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    if (!answer.dynamicMetadata().isEmpty()) {
      json.writeFieldName("dynamicMetadata");
      write(answer.dynamicMetadata(), json);
    }
    json.writeEndObject();
  }

  private static void write(@Nullable Object value, JsonGenerator json) throws IOException {
    if (value instanceof Map<?, ?> fields) {
      json.writeStartObject();
      for (Map.Entry<?, ?> field : fields.entrySet()) {
        json.writeFieldName(String.valueOf(field.getKey()));
        write(field.getValue(), json);
      }
      json.writeEndObject();
    } else if (value instanceof List<?> items) {
      json.writeStartArray();
      for (Object item : items) {
        write(item, json);
      }
      json.writeEndArray();
    } else {
      // Jackson writes the types of single values by itself.
      json.writeObject(value);
    }
  }

  private static void write(DescriptorStatus status, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("code", code(status.allowed()));
    CurrentLimit limit = status.limit();
    if (limit != null) {
      json.writeObjectFieldStart("currentLimit");
      if (!limit.label().isEmpty()) {
        json.writeStringField("name", limit.label());
      }
      if (limit.requestsPerUnit() > 0) {
        json.writeNumberField("requestsPerUnit", limit.requestsPerUnit());
      }
      json.writeStringField("unit", limit.unit().name());
      json.writeEndObject();
    }
    if (status.remaining() > 0) {
      json.writeNumberField("limitRemaining", status.remaining());
    }
    if (status.resetSeconds() >= 0) {
      json.writeStringField("durationUntilReset", status.resetSeconds() + "s");
    }
    json.writeEndObject();
  }

  private static String code(boolean allowed) {
    return allowed ? "OK" : "OVER_LIMIT";
  }
}
