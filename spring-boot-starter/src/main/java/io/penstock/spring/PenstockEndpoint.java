package io.penstock.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.Decision;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.RuleBuckets;
import io.penstock.policy.http.BucketsJson;
import io.penstock.policy.http.Json;
import io.penstock.policy.http.PolicyJson;
import io.penstock.policy.load.ActivePolicy;
import io.penstock.policy.load.Problem;
import io.penstock.policy.request.BucketKey;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The actuator endpoint. {@code GET /actuator/penstock} returns the active policy; {@code POST}
 * with a rule and a key returns the levels of its buckets. The key is in the body so that access
 * logs don't contain it.
 */
@Endpoint(id = "penstock")
public final class PenstockEndpoint {
  private static final String JSON = "application/json";

  private final PolicyEngine engine;
  private final @Nullable LivePolicy live;

  PenstockEndpoint(PolicyEngine engine, @Nullable LivePolicy live) {
    this.engine = engine;
    this.live = live;
  }

  @ReadOperation(produces = JSON)
  public String policy() {
    return text(
        json -> {
          json.writeStartObject();
          if (live != null) {
            ActivePolicy active = live.active();
            json.writeStringField("origin", active.origin());
            json.writeStringField("loaded_at", active.since().toString());
            json.writeArrayFieldStart("rejected");
            for (Problem problem : active.rejected()) {
              json.writeString(problem.toString());
            }
            json.writeEndArray();
            json.writeArrayFieldStart("warnings");
            for (String warning : live.warnings()) {
              json.writeString(warning);
            }
            json.writeEndArray();
          }
          json.writeFieldName("policy");
          PolicyJson.write(engine.policy(), json);
          json.writeEndObject();
        });
  }

  /**
   * Returns the levels of the buckets of a key without changing them. An invalid key gets status
   * 400 with the reason, which Spring Boot omits from the response to an exception.
   *
   * @param key the values of the rule's limit_keys as in the admin API, such as {@code
   *     user_id=7&path=/search}; empty for a rule without keys
   */
  @WriteOperation(produces = JSON)
  public Object peek(String rule, String key) {
    try {
      RuleBuckets buckets =
          BucketKey.parse(key)
              .bucketsOf(rule, engine)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "rule must be the name of an active rule with limits: " + rule));
      List<Decision> levels = buckets.peek().toCompletableFuture().join();
      return text(json -> BucketsJson.write(buckets, levels, json));
    } catch (IllegalArgumentException e) {
      return new WebEndpointResponse<>(
          badRequest(String.valueOf(e.getMessage())), WebEndpointResponse.STATUS_BAD_REQUEST);
    }
  }

  private static String badRequest(String reason) {
    return text(
        json -> {
          json.writeStartObject();
          json.writeStringField("title", "Bad Request");
          json.writeNumberField("status", WebEndpointResponse.STATUS_BAD_REQUEST);
          json.writeStringField("detail", reason);
          json.writeEndObject();
        });
  }

  private static String text(Json.JsonContent body) {
    return new String(Json.bytes(body), UTF_8);
  }
}
