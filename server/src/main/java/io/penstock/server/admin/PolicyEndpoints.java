package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.Explanation;
import io.penstock.policy.Mode;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.ExplainJson;
import io.penstock.policy.http.PolicyJson;
import io.penstock.policy.load.ActivePolicy;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
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
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
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
          HealthEndpoint.writeRejected(active, json);
          json.writeArrayFieldStart("warnings");
          for (Problem warning : active.loaded().warnings()) {
            json.writeString(warning.toString());
          }
          json.writeEndArray();
          writeOverride(json);
          json.writeFieldName("policy");
          PolicyJson.write(active.loaded().policy(), json);
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
          writeOverride(json);
          json.writeEndObject();
        });
  }

  void setMode(HttpServerRequest request) {
    bodies.read(
        request,
        body ->
            JsonDocuments.<ModeRequest>read(
                request,
                body,
                PolicyEndpoints::readMode,
                change -> {
                  String by = tokens.describe(request);
                  if (change.mode == null) {
                    modes.clear(by);
                  } else {
                    modes.override(change.mode, change.time, by);
                  }
                  mode(request);
                }));
  }

  /**
   * @param mode the mode of all rules; null to end the override
   */
  private record ModeRequest(@Nullable Mode mode, Duration time) {}

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
    fields.done();
    return choice == null || time == null ? null : new ModeRequest(choice.mode, time);
  }

  private record ModeChoice(@Nullable Mode mode) {}

  private void writeOverride(JsonGenerator json) throws IOException {
    ModeSwitch.ModeOverride active = modes.active().orElse(null);
    if (active == null) {
      json.writeNullField("override");
      return;
    }
    json.writeObjectFieldStart("override");
    json.writeStringField("mode", active.mode().code());
    json.writeStringField("until", active.until().toString());
    json.writeEndObject();
  }
}
