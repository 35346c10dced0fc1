package io.penstock.policy.replay;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.accesslog.LogFormat;
import io.penstock.policy.accesslog.ReadSummary;
import io.penstock.policy.accesslog.UnreadableLines;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** Writes the result of a replay as JSON. */
public final class ReplayJson {
  private ReplayJson() {}

  /** Writes the report as an object. */
  public static void write(ReplayReport report, JsonGenerator json) throws IOException {
    json.writeStartObject();
    writeLog(report.span(), report.read(), json);
    json.writeArrayFieldStart("policies");
    for (PolicyReport policy : report.policies()) {
      write(policy, report.span().requests(), json);
    }
    json.writeEndArray();
    ChangeTally.PolicyChange change = report.change();
    if (change != null) {
      json.writeObjectFieldStart("change");
      json.writeNumberField("newly_denied", change.newlyDenied());
      json.writeNumberField("no_longer_denied", change.newlyAllowed());
      json.writeArrayFieldStart("rules");
      for (RuleDifference each : RuleDifference.of(report)) {
        json.writeStartObject();
        json.writeStringField("rule", each.rule());
        json.writeObjectField("denied_before", each.deniedBefore());
        json.writeObjectField("denied_after", each.deniedAfter());
        json.writeEndObject();
      }
      json.writeEndArray();
      writeKeys("newly_denied_keys", change.deniedKeys(), json);
      writeKeys("no_longer_denied_keys", change.allowedKeys(), json);
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  /** Writes the field {@code log}. */
  public static void writeLog(LogSpan span, ReadSummary read, JsonGenerator json)
      throws IOException {
    json.writeObjectFieldStart("log");
    json.writeNumberField("lines", read.lines());
    json.writeNumberField("requests", span.requests());
    json.writeStringField("first", span.first().toString());
    json.writeStringField("last", span.last().toString());
    json.writeArrayFieldStart("formats");
    for (LogFormat format : read.formats()) {
      json.writeString(format.toString());
    }
    json.writeEndArray();
    json.writeNumberField("unreadable", read.unreadable().total());
    json.writeArrayFieldStart("unreadable_lines");
    for (UnreadableLines.UnreadableLine line : read.unreadable().samples()) {
      json.writeStartObject();
      json.writeStringField("file", line.source());
      json.writeNumberField("line", line.number());
      json.writeStringField("cause", line.cause().toString());
      json.writeStringField("text", line.text());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberField("out_of_order", read.late());
    json.writeArrayFieldStart("notes");
    for (String note : ReadNotes.notes(span, read)) {
      json.writeString(note);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(PolicyReport policy, long requests, JsonGenerator json)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("policy", policy.name());
    json.writeNumberField("denied", policy.denied());
    json.writeNumberField("delayed", policy.delayed());
    json.writeNumberField("path_rejected", policy.rejected());
    json.writeNumberField("unlimited", policy.unlimited());
    json.writeArrayFieldStart("unsupplied");
    for (UnsuppliedAttributes.UnsuppliedAttribute each : policy.unsupplied()) {
      json.writeStartObject();
      json.writeStringField("attribute", each.attribute().toString());
      json.writeArrayFieldStart("rules");
      for (String rule : each.rules()) {
        json.writeString(rule);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("warnings");
    for (String warning : ReplayText.unsupplied(policy, requests)) {
      json.writeString(warning);
    }
    for (RuleReport rule : policy.rules()) {
      for (String warning : ReplayText.warning(rule)) {
        json.writeString(warning);
      }
    }
    json.writeEndArray();
    writeTimeline(policy.timeline(), json);
    json.writeArrayFieldStart("rules");
    for (RuleReport rule : policy.rules()) {
      json.writeStartObject();
      json.writeStringField("rule", rule.rule().name());
      json.writeStringField("mode", ReplayText.mode(rule.mode()));
      json.writeNumberField("requests", rule.requests());
      json.writeNumberField("denied", rule.denied());
      json.writeNumberField("skipped", rule.skipped());
      json.writeNumberField("keys", rule.keys());
      json.writeNumberField("keys_denied", rule.deniedKeys());
      writeKeys("worst_keys", rule.worst(), json);
      writeTimeline(rule.timeline(), json);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void writeTimeline(List<Timeline.Interval> timeline, JsonGenerator json)
      throws IOException {
    json.writeArrayFieldStart("timeline");
    for (Timeline.Interval interval : timeline) {
      json.writeStartObject();
      json.writeStringField("start", Instant.ofEpochSecond(interval.startSeconds()).toString());
      json.writeNumberField("seconds", interval.seconds());
      json.writeNumberField("requests", interval.requests());
      json.writeNumberField("denied", interval.denied());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Writes keys with their counts as an array. */
  public static void writeKeys(String field, List<KeyCount> keys, JsonGenerator json)
      throws IOException {
    json.writeArrayFieldStart(field);
    for (KeyCount key : keys) {
      json.writeStartObject();
      json.writeStringField("key", key.key());
      json.writeNumberField("requests", key.requests());
      json.writeNumberField("denied", key.denied());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
