package io.penstock.server.admin;

import io.penstock.policy.Explanation;
import io.penstock.policy.Mode;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Rule;
import io.penstock.policy.http.ExplainJson;
import io.penstock.policy.http.PolicyJson;
import io.penstock.policy.load.ActivePolicy;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import io.penstock.policy.request.CheckRequest;
import io.penstock.policy.request.CheckRequestReader;
import io.penstock.server.ModeSwitch;
import io.penstock.server.PolicyHolder;
import io.penstock.server.http.AccessTokens;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints that return the active policy, explain decisions and override modes. Thread-safe.
 */
public final class PolicyEndpoints {
  private static final Duration DEFAULT_DURATION = Duration.ofMinutes(15);
  private static final Duration MAX_DURATION = Duration.ofHours(24);

  private final PolicyHolder policyHolder;
  private final ModeSwitch modes;
  private final Bodies bodies;
  private final AccessTokens tokens;

  public PolicyEndpoints(
      PolicyHolder policyHolder, ModeSwitch modes, Bodies bodies, AccessTokens tokens) {
    this.policyHolder = policyHolder;
    this.modes = modes;
    this.bodies = bodies;
    this.tokens = tokens;
  }

  void policy(HttpServerRequest request) {
    ActivePolicy active = policyHolder.active();
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeStringField("origin", active.origin());
          json.writeStringField("loaded_at", active.since().toString());
          HealthEndpoint.writeRejected(active.rejected(), json);
          json.writeArrayFieldStart("warnings");
          for (Problem warning : active.loaded().warnings()) {
            json.writeString(warning.toString());
          }
          json.writeEndArray();
          json.writeFieldName("override");
          ModeSwitchJson.write(modes.active().orElse(null), json);
          json.writeFieldName("policy");
          PolicyJson.write(active.loaded().policy(), json);
          json.writeObjectFieldStart("locations");
          for (Rule rule : active.loaded().policy().rules()) {
            Location location = active.loaded().locations().get(rule.name());
            if (location != null) {
              json.writeStringField(rule.name(), location.toString());
            }
          }
          json.writeEndObject();
          json.writeEndObject();
        });
  }

  void explain(HttpServerRequest request) {
    bodies.read(
        request,
        body ->
            JsonDocuments.<CheckRequest>read(
                request, body, CheckRequestReader::read, question -> explain(request, question)));
  }

  private void explain(HttpServerRequest request, CheckRequest question) {
    PolicyEngine engine = policyHolder.engine();
    DeferredResponse.respond(
        request,
        engine.explain(question.request().verifiedBy(engine.jwt())),
        (Explanation explanation) ->
            request
                .response()
                .putHeader("Content-Type", JsonResponses.TYPE)
                .end(Buffer.buffer(ExplainJson.bytes(explanation))));
  }

  void mode(HttpServerRequest request) {
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeFieldName("override");
          ModeSwitchJson.write(modes.active().orElse(null), json);
          json.writeFieldName("rules");
          ModeSwitchJson.write(modes.rules(), json);
          json.writeEndObject();
        });
  }

  void setMode(HttpServerRequest request) {
    bodies.read(
        request,
        body ->
            JsonDocuments.<ModeRequest>read(
                request, body, PolicyEndpoints::readMode, change -> setMode(request, change)));
  }

  private void setMode(HttpServerRequest request, ModeRequest change) {
    String by = tokens.describe(request);
    if (change.rule != null) {
      if (change.mode == null) {
        modes.clear(change.rule, by);
      } else if (isOnOrRespond(request, change.rule)) {
        modes.override(change.rule, change.mode, change.time, by);
      } else {
        return;
      }
    } else if (change.mode == null) {
      modes.clear(by);
    } else {
      modes.override(change.mode, change.time, by);
    }
    mode(request);
  }

  /** Responds with an error and returns false if a rule doesn't exist or is off. */
  private boolean isOnOrRespond(HttpServerRequest request, String name) {
    Optional<Rule> rule =
        policyHolder.engine().policy().rules().stream()
            .filter(each -> each.name().equals(name))
            .findAny();
    if (rule.isEmpty()) {
      ProblemResponses.end(
          request.response(), 404, "Not Found", "No active rule has this name: " + name);
      return false;
    }
    if (rule.get().rollout().mode() == Mode.OFF) {
      ProblemResponses.end(
          request.response(),
          409,
          "Conflict",
          "The mode of a rule that is off can't be overridden: " + name);
      return false;
    }
    return true;
  }

  /**
   * @param mode the mode to set; null to end the override
   * @param rule the rule to change; null for all rules
   */
  private record ModeRequest(@Nullable Mode mode, Duration time, @Nullable String rule) {}

  private static @Nullable ModeRequest readMode(Node document, Problems problems) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null || !fields.require("mode")) {
      return null;
    }
    ModeChoice choice =
        fields.choice(
            "mode",
            Map.of(
                "shadow", new ModeChoice(Mode.SHADOW),
                "enforce", new ModeChoice(Mode.ENFORCE),
                "policy", new ModeChoice(null)));
    Duration time = fields.given("for") ? fields.time("for") : DEFAULT_DURATION;
    if (time != null && (time.isZero() || time.compareTo(MAX_DURATION) > 0)) {
      fields.error("for", "must be from 1ms to 24h");
    }
    String rule = fields.given("rule") ? fields.text("rule") : null;
    fields.done();
    return choice == null || time == null ? null : new ModeRequest(choice.mode, time, rule);
  }

  private record ModeChoice(@Nullable Mode mode) {}
}
