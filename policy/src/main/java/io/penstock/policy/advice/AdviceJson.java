package io.penstock.policy.advice;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.replay.ReplayJson;
import java.io.IOException;
import java.util.Map;

/** Writes advice as JSON. */
public final class AdviceJson {
  private AdviceJson() {}

  /** Writes the advice as an object. */
  public static void write(Advice advice, JsonGenerator json) throws IOException {
    json.writeStartObject();
    writeFields(advice, json);
    json.writeEndObject();
  }

  /** Writes the advice, the policy and its cases as an object. */
  public static void write(Advice advice, AdvicePolicy policy, JsonGenerator json)
      throws IOException {
    json.writeStartObject();
    writeFields(advice, json);
    json.writeStringField("policy", policy.text());
    json.writeStringField("cases", policy.cases("policy.yaml"));
    json.writeEndObject();
  }

  private static void writeFields(Advice advice, JsonGenerator json) throws IOException {
    ReplayJson.writeLog(advice.span(), advice.read(), json);
    json.writeNumberField("without_key", advice.keyless());
    json.writeNumberField("without_part_of_key", advice.partial());
    json.writeNumberField("without_value", advice.valueless());
    json.writeNumberField("path_rejected", advice.rejected());
    json.writeNumberField("other_requests", advice.otherRequests());
    json.writeNumberField("unclassified", advice.unclassified());
    json.writeArrayFieldStart("notes");
    for (String note : AdviceText.notes(advice)) {
      json.writeString(note);
    }
    json.writeEndArray();
    json.writeObjectFieldStart("folded_paths");
    for (Map.Entry<String, String> folded : advice.options().folding().examples().entrySet()) {
      json.writeStringField(folded.getKey(), folded.getValue());
    }
    json.writeEndObject();
    json.writeArrayFieldStart("groups");
    for (GroupAdvice group : advice.groups()) {
      write(group, json);
    }
    json.writeEndArray();
  }

  private static void write(GroupAdvice group, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeObjectFieldStart("match");
    for (Map.Entry<String, String> each : group.match().entrySet()) {
      json.writeStringField(each.getKey(), each.getValue());
    }
    json.writeEndObject();
    json.writeNumberField("requests", group.requests());
    json.writeNumberField("keys", group.keys());
    json.writeArrayFieldStart("bursts");
    for (CurvePoint point : group.curve()) {
      json.writeStartObject();
      json.writeStringField("rate", point.rate().toString());
      json.writeNumberField("p50", point.p50());
      json.writeNumberField("p95", point.p95());
      json.writeNumberField("p99", point.p99());
      json.writeNumberField("p99.9", point.p999());
      json.writeNumberField("max", point.max());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("suggestions");
    for (Suggestion suggestion : group.suggestions()) {
      json.writeStartObject();
      json.writeStringField("name", suggestion.name());
      json.writeStringField("rate", suggestion.rate().toString());
      json.writeNumberField("burst", suggestion.burst());
      json.writeNumberField("denied", suggestion.denied());
      json.writeNumberField("keys_denied", suggestion.deniedKeys());
      ReplayJson.writeKeys("worst_keys", suggestion.worst(), json);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
