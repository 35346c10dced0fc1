package io.penstock.server.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.penstock.policy.Outcome;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;

/** Lines as objects. */
final class AccessJson {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
  private static final int TOKEN = 1_000;
  private static final int MICRO_SCALE = 6;
  private static final long MICRO = 1_000;

  private AccessJson() {}

  static void append(AccessEntry entry, StringBuilder line) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("time", entry.time().toString());
      write(entry.asked(), json);
      write(entry.answered(), json);
      writeDecision(entry, json);
      json.writeEndObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    line.append(text.getBuffer());
  }

  private static void write(AccessEntry.RequestInfo asked, JsonGenerator json) throws IOException {
    json.writeStringField("client", asked.client());
    json.writeStringField("method", asked.method());
    json.writeStringField("target", asked.target());
    json.writeStringField("protocol", asked.protocol());
    json.writeStringField("host", asked.host());
    json.writeStringField("referrer", asked.referrer());
    json.writeStringField("user_agent", asked.userAgent());
    json.writeStringField("request_id", asked.requestId());
  }

  private static void write(AccessEntry.ResponseInfo answered, JsonGenerator json)
      throws IOException {
    json.writeNumberField("status", answered.status());
    json.writeNumberField("bytes", answered.bytes());
    json.writeNumberField("seconds", BigDecimal.valueOf(answered.nanos() / MICRO, MICRO_SCALE));
    AccessEntry.AbortedBy aborted = answered.aborted();
    json.writeStringField("aborted", aborted == null ? null : aborted.label());
    json.writeFieldName("upstream_status");
    if (answered.upstreamStatus() == 0) {
      json.writeNull();
    } else {
      json.writeNumber(answered.upstreamStatus());
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
      json.writeNumber(outcome.decision().remainingThousandths() / TOKEN);
    }
  }
}
