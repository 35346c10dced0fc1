package io.penstock.policy.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.Decision;
import io.penstock.policy.RuleBuckets;
import java.io.IOException;
import java.util.List;

/**
 * Writes the state of the buckets of a key as JSON. Amounts and times are as in {@link CheckJson}.
 */
public final class BucketsJson {
  private BucketsJson() {}

  /** Writes the buckets as an object. */
  public static void write(RuleBuckets buckets, List<Decision> levels, JsonGenerator json)
      throws IOException {
    json.writeStartObject();
    writeFields(buckets, levels, json);
    json.writeEndObject();
  }

  /** Writes the buckets as fields of an object. */
  public static void writeFields(RuleBuckets buckets, List<Decision> levels, JsonGenerator json)
      throws IOException {
    json.writeStringField("rule", buckets.rule().name());
    json.writeStringField("key", buckets.key());
    json.writeArrayFieldStart("levels");
    for (Decision level : levels) {
      json.writeStartObject();
      json.writeFieldName("limit");
      json.writeNumber(Rounding.tokens(level.limit().burstThousandths()));
      json.writeFieldName("remaining");
      json.writeNumber(Rounding.tokens(level.remainingThousandths()));
      json.writeNumberField("reset_after_ms", Rounding.millis(level.resetAfter()));
      json.writeBooleanField("degraded", level.degraded());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
