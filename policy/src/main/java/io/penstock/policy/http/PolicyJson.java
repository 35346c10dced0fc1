package io.penstock.policy.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.Limit;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.policy.Attribute;
import io.penstock.policy.AttributeMap;
import io.penstock.policy.Condition;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.KeySource;
import io.penstock.policy.load.RuleField;
import io.penstock.policy.load.RuleFields;
import io.penstock.policy.path.PathSettings;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a loaded policy as JSON, without its secrets and keys. */
public final class PolicyJson {
  private PolicyJson() {}

  /** Writes the policy as an object. */
  public static void write(Policy policy, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("mode", policy.mode().code());
    write(policy.clientAddress(), json);
    write(policy.paths(), json);
    write(policy.attributes(), json);
    write(policy.jwt(), json);
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

  private static void write(ClientAddress clients, JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("client_address");
    json.writeFieldName("trusted_proxies");
    write(clients.trustedProxies(), json);
    json.writeStringField("header", clients.source().headerName());
    json.writeNumberField("ipv6_prefix", clients.ipv6Prefix());
    json.writeEndObject();
  }

  private static void write(JwtSettings jwt, JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("jwt");
    json.writeStringField("trust", jwt.trust().code());
    KeySource keys = jwt.keys();
    json.writeStringField("keys", keys == null ? null : keys.field());
    json.writeFieldName("algorithms");
    write(jwt.algorithms(), json);
    json.writeStringField("issuer", jwt.issuer());
    json.writeFieldName("audience");
    write(jwt.audience(), json);
    json.writeNumberField("leeway_seconds", jwt.leeway().toSeconds());
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

  private static void write(AttributeMap attributes, JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("attributes");
    for (Map.Entry<String, List<Attribute>> declared : attributes.sources().entrySet()) {
      json.writeStringField(
          declared.getKey(),
          declared.getValue().isEmpty()
              ? AttributeMap.CALLER
              : new KeyPart(declared.getValue()).toString());
    }
    json.writeEndObject();
  }

  private static void write(Rule rule, JsonGenerator json) throws IOException {
    json.writeStartObject();
    for (RuleField field : RuleFields.ALL) {
      RuleField.Property property = field.property();
      Object value = property == null ? null : property.value().apply(rule);
      if (property != null && (value != null || !property.isOptional())) {
        json.writeFieldName(property.name());
        write(value, json);
      }
    }
    json.writeEndObject();
  }

  private static void write(@Nullable Object value, JsonGenerator json) throws IOException {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      for (Object item : list) {
        write(item, json);
      }
      json.writeEndArray();
    } else if (value instanceof Limit limit) {
      write(limit, json);
    } else if (value instanceof Match match) {
      write(match, json);
    } else if (value instanceof Duration time) {
      json.writeNumber(Rounding.millis(time));
    } else if (value instanceof BigDecimal tokens) {
      json.writeNumber(tokens.stripTrailingZeros().toPlainString());
    } else if (value instanceof Integer number) {
      json.writeNumber(number);
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else {
      json.writeString(value instanceof Enum<?> constant ? code(constant) : value.toString());
    }
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
