package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.server.ModeSwitch;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes mode overrides as JSON. */
final class ModeSwitchJson {
  private ModeSwitchJson() {}

  /** Writes the override of all rules, or null. */
  static void write(ModeSwitch.@Nullable ModeOverride override, JsonGenerator json)
      throws IOException {
    if (override == null) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    write(override, "", json);
    json.writeEndObject();
  }

  /** Writes the overrides of single rules. */
  static void write(Map<String, ModeSwitch.ModeOverride> rules, JsonGenerator json)
      throws IOException {
    json.writeStartArray();
    for (Map.Entry<String, ModeSwitch.ModeOverride> rule : rules.entrySet()) {
      json.writeStartObject();
      write(rule.getValue(), rule.getKey(), json);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(ModeSwitch.ModeOverride override, String rule, JsonGenerator json)
      throws IOException {
    if (!rule.isEmpty()) {
      json.writeStringField("rule", rule);
    }
    json.writeStringField("mode", override.mode().code());
    json.writeStringField("until", override.until().toString());
  }
}
