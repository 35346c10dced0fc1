package io.penstock.policy.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.Limit;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.policy.Attribute;
import io.penstock.policy.Condition;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.path.PathSettings;
import java.io.IOException;
import java.util.Locale;

/** Writes a loaded policy as JSON, without its secrets. */
public final class PolicyJson {
  private PolicyJson() {}

  /** Writes the policy as an object. */
  public static void write(Policy policy, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("mode", policy.mode().code());
    write(policy.paths(), json);
    json.writeArrayFieldStart("exempt");
    for (Match match : policy.exempt()) {
      write(match, json);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("rules");
    for (Rule rule : policy.rules()) {
      write(rule, json);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(PathSettings paths, JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("paths");
    json.writeStringField("encoded_slashes", code(paths.encodedSlashes()));
    json.writeStringField("parameters", paths.stripsParameters() ? "strip" : "keep");
    json.writeStringField("case", paths.ignoresCase() ? "insensitive" : "sensitive");
    json.writeStringField("trailing_dots", paths.stripsTrailingDots() ? "strip" : "keep");
    json.writeStringField("trailing_slash", paths.stripsTrailingSlash() ? "strip" : "keep");
    json.writeEndObject();
  }

  private static void write(Rule rule, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", rule.name());
    if (!rule.description().isEmpty()) {
      json.writeStringField("description", rule.description());
    }
    json.writeArrayFieldStart("limit_keys");
    for (KeyPart part : rule.limitKeys()) {
      json.writeString(part.toString());
    }
    json.writeEndArray();
    json.writeFieldName("match");
    write(rule.match(), json);
    json.writeStringField("group", rule.group());
    if (rule.scope() != null) {
      json.writeStringField("scope", rule.scope());
    }
    json.writeStringField("on_repeated_key", rule.onRepeatedKey().code());
    json.writeStringField("mode", rule.rollout().mode().code());
    json.writeNumberField("enforce_percent", rule.rollout().enforcePercent());
    json.writeBooleanField("manual", rule.isManual());
    json.writeArrayFieldStart("limits");
    for (Limit limit : rule.limits()) {
      write(limit, json);
    }
    json.writeEndArray();
    json.writeFieldName("cost");
    json.writeNumber(Rounding.tokens(rule.cost().fallback()));
    Attribute costSource = rule.cost().source();
    json.writeStringField("cost_source", costSource == null ? null : costSource.toString());
    json.writeNumberField("max_delay_ms", Rounding.millis(rule.maxDelay()));
    json.writeStringField("on_store_failure", code(rule.storeOptions().onFailure()));
    json.writeStringField("consistency", code(rule.storeOptions().consistency()));
    json.writeBooleanField("refund_on_upstream_error", rule.refundOnUpstreamError());
    json.writeEndObject();
  }

  private static void write(Match match, JsonGenerator json) throws IOException {
    json.writeStartObject();
    for (Condition condition : match.conditions()) {
      json.writeStringField(condition.subject().toString(), condition.describe());
    }
    json.writeEndObject();
  }

  private static void write(Limit limit, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("algorithm", algorithm(limit));
    json.writeFieldName("burst");
    json.writeNumber(Rounding.tokens(limit.burstThousandths()));
    // A bucket of this burst refills within the window, so its rate is burst divided by window.
    json.writeNumberField("window_ms", Rounding.millis(limit.window()));
    if (limit instanceof TokenBucket bucket) {
      json.writeStringField("rate", bucket.rate().toString());
    }
    json.writeEndObject();
  }

  private static String algorithm(Limit limit) {
    return limit instanceof WindowLimit window ? code(window.kind()) : "token_bucket";
  }

  private static String code(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
