package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.Decision;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.RuleBuckets;
import io.penstock.policy.RuleKey;
import io.penstock.policy.http.BucketsJson;
import io.penstock.server.KeyOverrides;
import io.penstock.server.http.AccessTokens;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The endpoints that inspect and change the buckets and the limit of a key. Thread-safe. Changes
 * are logged with the key in its recorded form, in which private values are hashed.
 */
public final class KeyEndpoints {
  private static final Logger LOG = LoggerFactory.getLogger(KeyEndpoints.class);
  private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

  private final PolicyEngine engine;
  private final KeyOverrides overrides;
  private final Bodies bodies;
  private final AccessTokens tokens;

  public KeyEndpoints(
      PolicyEngine engine, KeyOverrides overrides, Bodies bodies, AccessTokens tokens) {
    this.engine = engine;
    this.overrides = overrides;
    this.bodies = bodies;
    this.tokens = tokens;
  }

  void peek(HttpServerRequest request) {
    handle(request, KeyRequest.KeyOperation.PLAIN, (buckets, keyRequest) -> DONE);
  }

  void reset(HttpServerRequest request) {
    handle(
        request,
        KeyRequest.KeyOperation.PLAIN,
        (buckets, keyRequest) -> {
          LOG.info(
              "key {} of rule {} reset by {}",
              buckets.key(),
              keyRequest.rule(),
              tokens.describe(request));
          return buckets.reset();
        });
  }

  void grant(HttpServerRequest request) {
    handle(
        request,
        KeyRequest.KeyOperation.WITH_TOKENS,
        (buckets, keyRequest) -> {
          CompletionStage<Void> granted = buckets.grant(keyRequest.thousandths());
          LOG.info(
              "key {} of rule {} granted {} by {}",
              buckets.key(),
              keyRequest.rule(),
              tokens(keyRequest.thousandths()),
              tokens.describe(request));
          return granted;
        });
  }

  void override(HttpServerRequest request) {
    handle(
        request,
        KeyRequest.KeyOperation.WITH_LIMIT,
        (buckets, keyRequest) -> {
          overrides.override(
              of(buckets),
              Objects.requireNonNull(keyRequest.limit()),
              keyRequest.duration(),
              tokens.describe(request));
          return DONE;
        });
  }

  void endOverride(HttpServerRequest request) {
    handle(
        request,
        KeyRequest.KeyOperation.PLAIN,
        (buckets, keyRequest) -> {
          overrides.end(of(buckets), tokens.describe(request));
          return DONE;
        });
  }

  void overrides(HttpServerRequest request) {
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("overrides");
          for (KeyOverrides.KeyOverride override : overrides.all()) {
            json.writeStartObject();
            json.writeStringField("rule", override.of().rule());
            json.writeStringField("key", override.of().key());
            writeFields(override, json);
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private static void writeFields(KeyOverrides.KeyOverride override, JsonGenerator json)
      throws IOException {
    json.writeStringField("rate", override.limit().rate().toString());
    json.writeNumberField("burst", override.limit().burst());
    json.writeStringField("until", override.until().toString());
  }

  private static RuleKey of(RuleBuckets buckets) {
    return new RuleKey(buckets.rule().name(), buckets.key());
  }

  private static String tokens(long thousandths) {
    String amount = BigDecimal.valueOf(thousandths, 3).stripTrailingZeros().toPlainString();
    return amount + (amount.equals("1") ? " token" : " tokens");
  }

  /** An operation on the buckets of a key. The response has their levels afterwards. */
  private interface KeyAction {
    CompletionStage<Void> on(RuleBuckets buckets, KeyRequest keyRequest);
  }

  private void handle(HttpServerRequest request, KeyRequest.KeyOperation kind, KeyAction action) {
    bodies.read(
        request,
        body ->
            JsonDocuments.<KeyRequest>read(
                request, body, kind::read, keyRequest -> act(request, keyRequest, action)));
  }

  private void act(HttpServerRequest request, KeyRequest keyRequest, KeyAction action) {
    CompletionStage<Void> done;
    RuleBuckets buckets;
    try {
      RuleBuckets found = keyRequest.buckets(engine).orElse(null);
      if (found == null) {
        ProblemResponses.end(
            request.response(),
            404,
            "Not Found",
            "No active rule with limits has this name: " + keyRequest.rule());
        return;
      }
      done = action.on(found, keyRequest);
      // An override changes the limits of the key.
      buckets = keyRequest.buckets(engine).orElse(found);
    } catch (IllegalArgumentException e) {
      ProblemResponses.end(request.response(), 400, "Bad Request", String.valueOf(e.getMessage()));
      return;
    }
    DeferredResponse.respond(
        request,
        done.thenCompose(acted -> buckets.peek()),
        levels -> respond(request, buckets, levels));
  }

  private void respond(HttpServerRequest request, RuleBuckets buckets, List<Decision> levels) {
    Optional<KeyOverrides.KeyOverride> override = overrides.find(of(buckets));
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          BucketsJson.writeFields(buckets, levels, json);
          if (override.isPresent()) {
            json.writeObjectFieldStart("override");
            writeFields(override.get(), json);
            json.writeEndObject();
          } else {
            json.writeNullField("override");
          }
          json.writeEndObject();
        });
  }
}
