package io.penstock.policy.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.policy.Outcome;
import io.penstock.policy.Rule;
import io.penstock.policy.SkippedRule;
import io.penstock.policy.Verdict;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes a verdict as the response to {@code POST /v1/check}. Amounts are in tokens with up to
 * three decimal places, times in milliseconds rounded up.
 */
public final class CheckJson {
  static final String RETRY_AFTER = "retry_after_ms";

  private CheckJson() {}

  /** Returns the response as UTF-8. */
  public static byte[] bytes(Verdict verdict) {
    return Json.bytes(json -> write(verdict, json));
  }

  /** Returns the response to several requests as UTF-8. */
  static byte[] bytes(List<Verdict> verdicts) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("results");
          for (Verdict verdict : verdicts) {
            write(verdict, json);
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  /** Writes the response as an object. */
  static void write(Verdict verdict, JsonGenerator json) throws IOException {
    Optional<Outcome> decisive = verdict.decisive();
    json.writeStartObject();
    json.writeBooleanField("allowed", verdict.allowed());
    if (decisive.isPresent()) {
      json.writeStringField("rule", decisive.get().rule().name());
      writeScope(json, decisive.get().rule());
      writeFigures(json, decisive.get().decision());
    } else {
      writeNoFigures(json, verdict);
    }
    json.writeNumberField("delay_ms", Rounding.millis(verdict.delay()));
    json.writeBooleanField("degraded", verdict.degraded());
    if (!verdict.skipped().isEmpty()) {
      json.writeArrayFieldStart("skipped");
      for (SkippedRule skipped : verdict.skipped()) {
        json.writeString(skipped.rule().name());
      }
      json.writeEndArray();
    }
    json.writeArrayFieldStart("limits");
    for (Outcome outcome : verdict.outcomes()) {
      write(outcome, json);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  static void write(Outcome outcome, JsonGenerator json) throws IOException {
    Decision decision = outcome.decision();
    json.writeStartObject();
    json.writeStringField("rule", outcome.rule().name());
    writeScope(json, outcome.rule());
    json.writeStringField("mode", outcome.mode().code());
    json.writeFieldName("cost");
    Json.writeTokens(json, outcome.costThousandths());
    json.writeBooleanField("allowed", decision.allowed());
    writeFigures(json, decision);
    json.writeNumberField("delay_ms", Rounding.millis(decision.delay()));
    json.writeBooleanField("degraded", decision.degraded());
    json.writeEndObject();
  }

  private static void writeScope(JsonGenerator json, Rule rule) throws IOException {
    if (rule.scope() != null) {
      json.writeStringField("scope", rule.scope());
    }
  }

  private static void writeFigures(JsonGenerator json, Decision decision) throws IOException {
    writeReason(json, decision.reason().orElse(null));
    json.writeFieldName("limit");
    Json.writeTokens(json, decision.limit().burstThousandths());
    json.writeFieldName("remaining");
    Json.writeTokens(json, decision.remainingThousandths());
    writeRetryAfter(json, decision);
    json.writeNumberField("reset_after_ms", Rounding.millis(decision.resetAfter()));
  }

  private static void writeNoFigures(JsonGenerator json, Verdict verdict) throws IOException {
    json.writeNullField("rule");
    writeReason(json, verdict.reason().orElse(null));
    json.writeNullField("limit");
    json.writeNullField("remaining");
    if (verdict.allowed()) {
      json.writeNumberField(RETRY_AFTER, 0);
    } else {
      json.writeNullField(RETRY_AFTER);
    }
    json.writeNumberField("reset_after_ms", 0);
  }

  static void writeReason(JsonGenerator json, @Nullable Reason reason) throws IOException {
    json.writeStringField("reason", reason == null ? null : reason.code());
  }

  static void writeRetryAfter(JsonGenerator json, Decision decision) throws IOException {
    if (decision.neverAllowed()) {
      json.writeNullField(RETRY_AFTER);
    } else {
      json.writeNumberField(RETRY_AFTER, Rounding.millis(decision.retryAfter()));
    }
  }
}
