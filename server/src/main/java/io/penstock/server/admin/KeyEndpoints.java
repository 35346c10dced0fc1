package io.penstock.server.admin;

import io.penstock.Decision;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.RuleBuckets;
import io.penstock.policy.http.BucketsJson;
import io.penstock.server.http.AccessTokens;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.vertx.core.http.HttpServerRequest;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The endpoints that inspect and change the buckets of a key. Thread-safe. Keys are never logged.
 */
public final class KeyEndpoints {
  private static final Logger LOG = LoggerFactory.getLogger(KeyEndpoints.class);

  private final PolicyEngine engine;
  private final Bodies bodies;
  private final AccessTokens tokens;

  public KeyEndpoints(PolicyEngine engine, Bodies bodies, AccessTokens tokens) {
    this.engine = engine;
    this.bodies = bodies;
    this.tokens = tokens;
  }

  void peek(HttpServerRequest request) {
    handle(
        request, KeyRequest.KeyOperation.WITHOUT_TOKENS, (buckets, keyRequest) -> buckets.peek());
  }

  void reset(HttpServerRequest request) {
    handle(
        request,
        KeyRequest.KeyOperation.WITHOUT_TOKENS,
        (buckets, keyRequest) -> {
          LOG.info("key of rule {} reset by {}", keyRequest.rule(), tokens.describe(request));
          return buckets.reset().thenCompose(done -> buckets.peek());
        });
  }

  void grant(HttpServerRequest request) {
    handle(
        request,
        KeyRequest.KeyOperation.WITH_TOKENS,
        (buckets, keyRequest) -> {
          CompletionStage<Void> granted = buckets.grant(keyRequest.thousandths());
          LOG.info(
              "key of rule {} granted {} by {}",
              keyRequest.rule(),
              tokens(keyRequest.thousandths()),
              tokens.describe(request));
          return granted.thenCompose(done -> buckets.peek());
        });
  }

  private static String tokens(long thousandths) {
    String amount = BigDecimal.valueOf(thousandths, 3).stripTrailingZeros().toPlainString();
    return amount + (amount.equals("1") ? " token" : " tokens");
  }

  private void handle(
      HttpServerRequest request,
      KeyRequest.KeyOperation kind,
      BiFunction<RuleBuckets, KeyRequest, CompletionStage<List<Decision>>> action) {
    bodies.read(
        request,
        body ->
            JsonDocuments.<KeyRequest>read(
                request, body, kind::read, keyRequest -> act(request, keyRequest, action)));
  }

  private void act(
      HttpServerRequest request,
      KeyRequest keyRequest,
      BiFunction<RuleBuckets, KeyRequest, CompletionStage<List<Decision>>> action) {
    RuleBuckets buckets;
    CompletionStage<List<Decision>> done;
    try {
      buckets = keyRequest.key().bucketsOf(keyRequest.rule(), engine).orElse(null);
      if (buckets == null) {
        ProblemResponses.end(
            request.response(),
            404,
            "Not Found",
            "No active rule with limits has this name: " + keyRequest.rule());
        return;
      }
      done = action.apply(buckets, keyRequest);
    } catch (IllegalArgumentException e) {
      ProblemResponses.end(request.response(), 400, "Bad Request", String.valueOf(e.getMessage()));
      return;
    }
    DeferredResponse.respond(
        request,
        done,
        levels ->
            JsonResponses.end(
                request.response(), json -> BucketsJson.write(buckets, levels, json)));
  }
}
