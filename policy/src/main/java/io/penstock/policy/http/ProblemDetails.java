package io.penstock.policy.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Writes denials as problem details (RFC 9457) with the types defined in
 * draft-ietf-httpapi-ratelimit-headers.
 */
final class ProblemDetails {
  private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

  private ProblemDetails() {}

  static byte[] bytes(int status, Outcome decisive, List<Outcome> outcomes) {
    return Json.bytes(
        json -> {
          writeBeforeWait(json, status, decisive, outcomes);
          CheckJson.writeRetryAfter(json, decisive.decision());
          json.writeEndObject();
        });
  }

  /** Returns the problem up to the wait, which {@link #bytes(byte[], Decision)} adds. */
  static byte[] beforeWait(int status, Outcome decisive, List<Outcome> outcomes) {
    byte[] object =
        Json.bytes(
            json -> {
              writeBeforeWait(json, status, decisive, outcomes);
              json.writeEndObject();
            });
    return (new String(object, 0, object.length - 1, UTF_8) + ",\"" + CheckJson.RETRY_AFTER + "\":")
        .getBytes(UTF_8);
  }

  /** Returns a whole problem, without writing its constant part again. */
  static byte[] bytes(byte[] beforeWait, Decision decision) {
    byte[] wait = (Rounding.millis(decision.retryAfter()) + "}").getBytes(ISO_8859_1);
    byte[] whole = Arrays.copyOf(beforeWait, beforeWait.length + wait.length);
    System.arraycopy(wait, 0, whole, beforeWait.length, wait.length);
    return whole;
  }

  static byte[] rejectedPath(int status) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          json.writeStringField("type", "about:blank");
          json.writeStringField("title", "Bad Request");
          json.writeNumberField("status", status);
          json.writeStringField(
              "detail", "The path is ambiguous: servers may read it in different ways");
          json.writeStringField("reason", Reason.PATH_REJECTED.code());
          json.writeEndObject();
        });
  }

  private static void writeBeforeWait(
      JsonGenerator json, int status, Outcome decisive, List<Outcome> outcomes) throws IOException {
    Decision decision = decisive.decision();
    boolean unavailable = decision.reason().filter(Reason::isUnavailable).isPresent();
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
