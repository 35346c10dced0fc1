package io.penstock.server.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.penstock.policy.Outcome;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;

/** Formats entries as JSON objects. */
final class AccessJson {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
  private static final int THOUSANDTHS_PER_TOKEN = 1_000;
  private static final int MICRO_SCALE = 6;
  private static final long NANOS_PER_MICRO = 1_000;

  private AccessJson() {}

  static void append(AccessEntry entry, StringBuilder line) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("time", entry.time().toString());
      write(entry.request(), json);
      write(entry.response(), json);
      writeDecision(entry, json);
      json.writeEndObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    line.append(text.getBuffer());
  }

  private static void write(AccessEntry.RequestInfo request, JsonGenerator json)
      throws IOException {
    json.writeStringField("client", request.client());
    json.writeStringField("method", request.method());
    json.writeStringField("target", request.target());
    json.writeStringField("protocol", request.protocol());
    json.writeStringField("host", request.host());
    json.writeStringField("referrer", request.referrer());
    json.writeStringField("user_agent", request.userAgent());
    json.writeStringField("request_id", request.requestId());
  }

  private static void write(AccessEntry.ResponseInfo response, JsonGenerator json)
      throws IOException {
    json.writeNumberField("status", response.status());
    json.writeNumberField("bytes", response.bytes());
    json.writeNumberField(
        "seconds", BigDecimal.valueOf(response.nanos() / NANOS_PER_MICRO, MICRO_SCALE));
    AccessEntry.AbortedBy aborted = response.aborted();
    json.writeStringField("aborted", aborted == null ? null : aborted.label());
    json.writeFieldName("upstream_status");
    if (response.upstreamStatus() == 0) {
      json.writeNull();
    } else {
      json.writeNumber(response.upstreamStatus());
    }
  }

  private static void writeDecision(AccessEntry entry, JsonGenerator json) throws IOException {
    Outcome outcome = entry.outcome();
    json.writeStringField("decision", entry.decision());
    json.writeStringField("rule", outcome == null ? null : outcome.rule().name());
    json.writeFieldName("remaining");
    if (outcome == null) {
      json.writeNull();
    } else {
      json.writeNumber(outcome.decision().remainingThousandths() / THOUSANDTHS_PER_TOKEN);
    }
  }
}
