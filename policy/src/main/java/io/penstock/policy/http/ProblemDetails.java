package io.penstock.policy.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import java.io.IOException;
import java.util.List;

/**
 * Writes denials as problem details (RFC 9457) with the types defined in
 * draft-ietf-httpapi-ratelimit-headers.
 */
final class ProblemDetails {
  private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

  private ProblemDetails() {}

  static byte[] bytes(int status, Outcome decisive, List<Outcome> outcomes) {
    return Json.bytes(json -> write(json, status, decisive, outcomes));
  }

  static byte[] rejectedPath() {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          json.writeStringField("type", "about:blank");
          json.writeStringField("title", "Bad Request");
          json.writeNumberField("status", HttpAnswer.BAD_REQUEST);
          json.writeStringField(
              "detail", "The path is ambiguous: servers may read it in different ways");
          json.writeStringField("reason", Reason.PATH_REJECTED.code());
          json.writeEndObject();
        });
  }

  private static void write(
      JsonGenerator json, int status, Outcome decisive, List<Outcome> outcomes) throws IOException {
    boolean unavailable = status == HttpAnswer.UNAVAILABLE;
    Decision decision = decisive.decision();
    json.writeStartObject();
    json.writeStringField(
        "type", TYPES + (unavailable ? "temporary-reduced-capacity" : "quota-exceeded"));
    json.writeStringField("title", unavailable ? "Temporary Reduced Capacity" : "Quota Exceeded");
    json.writeNumberField("status", status);
    json.writeStringField("detail", unavailable ? unavailable(decisive) : detail(decisive));
    json.writeArrayFieldStart("violated-policies");
    for (Outcome outcome : outcomes) {
      if (outcome.mode() == Mode.ENFORCE && !outcome.decision().allowed()) {
        writeViolated(outcome, json);
      }
    }
    json.writeEndArray();
    CheckJson.writeReason(json, decision.reason().orElse(null));
    CheckJson.writeRetryAfter(json, decision);
    json.writeEndObject();
  }

  /** Writes the names of the limits that deny, as in the headers. */
  private static void writeViolated(Outcome outcome, JsonGenerator json) throws IOException {
    List<Decision> results = outcome.decision().results();
    for (int i = 0; i < results.size(); i++) {
      if (!results.get(i).allowed()) {
        int number = LimitNumbers.of(outcome.rule(), results, i);
        json.writeString(Quota.name(outcome.rule().name(), number));
      }
    }
  }

  private static String unavailable(Outcome outcome) {
    return "Rule " + outcome.rule().name() + " can't be evaluated at the moment.";
  }

  private static String detail(Outcome outcome) {
    String rule = outcome.rule().name();
    Reason reason = outcome.decision().reason().orElse(outcome.decision().limit().exceeded());
    return switch (reason) {
      case COST_ABOVE_BURST ->
          "The request costs "
              + Rounding.tokens(outcome.costThousandths())
              + ", and rule "
              + rule
              + " never allows more than "
              + Rounding.tokens(outcome.decision().limit().burstThousandths())
              + ".";
      case MISSING_KEY ->
          "The request lacks an attribute that rule " + rule + " requires, or repeats it.";
      default -> "Rule " + rule + " allows no more requests at the moment.";
    };
  }
}
