package io.penstock.policy.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.Decision;
import io.penstock.policy.Explanation;
import io.penstock.policy.Explanation.ExpectedCharge;
import io.penstock.policy.Explanation.Finding;
import io.penstock.policy.Outcome;
import io.penstock.policy.Rule;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes an explanation as JSON: each rule, then the verdict as in {@link CheckJson}, with the same
 * units.
 */
public final class ExplainJson {
  private ExplainJson() {}

  /** Returns the explanation as UTF-8. */
  public static byte[] bytes(Explanation explanation) {
    return Json.bytes(json -> write(explanation, json));
  }

  /** Writes the explanation as an object. */
  public static void write(Explanation explanation, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeArrayFieldStart("rules");
    for (Finding finding : explanation.findings()) {
      write(finding, json);
    }
    json.writeEndArray();
    json.writeFieldName("verdict");
    CheckJson.write(explanation.verdict(), json);
    json.writeStringField("token", explanation.token().code());
    json.writeEndObject();
  }

  private static void write(Finding finding, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("rule", finding.rule().name());
    json.writeBooleanField("applies", finding.applies());
    json.writeStringField("why", finding.why());
    ExpectedCharge charge = finding.charge();
    if (charge != null) {
      write(finding.rule(), charge, finding.outcome(), json);
    }
    json.writeEndObject();
  }

  private static void write(
      Rule rule, ExpectedCharge charge, @Nullable Outcome outcome, JsonGenerator json)
      throws IOException {
    json.writeStringField("mode", charge.mode().code());
    json.writeStringField("key", charge.before() == null ? null : charge.key());
    json.writeFieldName("cost");
    json.writeNumber(Rounding.tokens(charge.costThousandths()));
    json.writeStringField(
        "consistency", rule.storeOptions().consistency().name().toLowerCase(Locale.ROOT));
    json.writeBooleanField("leased", charge.leased());
    json.writeArrayFieldStart("levels");
    for (LimitStatus level : LimitStatus.of(charge, outcome)) {
      write(level, json);
    }
    json.writeEndArray();
    if (outcome == null) {
      json.writeNullField("outcome");
    } else {
      json.writeFieldName("outcome");
      CheckJson.write(outcome, json);
    }
  }

  private static void write(LimitStatus level, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeFieldName("limit");
    json.writeNumber(Rounding.tokens(level.before().limit().burstThousandths()));
    json.writeFieldName("before");
    json.writeNumber(Rounding.tokens(level.before().remainingThousandths()));
    Decision after = level.after();
    if (after == null) {
      json.writeNullField("after");
    } else {
      json.writeFieldName("after");
      json.writeNumber(Rounding.tokens(after.remainingThousandths()));
    }
    json.writeEndObject();
  }
}
