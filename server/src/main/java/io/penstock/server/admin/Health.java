package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Problem;
import io.penstock.server.PolicyInForce;
import io.penstock.server.PolicyKeeper;
import io.penstock.server.http.JsonAnswers;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Says whether the process lives and whether it can serve. Thread-safe.
 *
 * <p>Redis that is away makes it degraded, not unready: without it every rule has its failure
 * policy, and a load balancer that took all nodes out would do more harm.
 */
public final class Health {
  private final PolicyKeeper keeper;
  private final String store;
  private final BooleanSupplier available;
  private volatile boolean ending;

  /**
   * @param store what kind of store there is
   * @param available whether it can be asked now
   */
  public Health(PolicyKeeper keeper, String store, BooleanSupplier available) {
    this.keeper = keeper;
    this.store = store;
    this.available = available;
  }

  /** From now on, no new requests should come. */
  public void end() {
    ending = true;
  }

  void live(HttpServerRequest request) {
    JsonAnswers.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeBooleanField("live", true);
          json.writeEndObject();
        });
  }

  void ready(HttpServerRequest request) {
    boolean ready = !ending;
    boolean there = available.getAsBoolean();
    PolicyInForce inForce = keeper.inForce();
    request.response().setStatusCode(ready ? 200 : 503);
    JsonAnswers.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeBooleanField("ready", ready);
          json.writeBooleanField("degraded", !there);
          json.writeObjectFieldStart("store");
          json.writeStringField("kind", store);
          json.writeBooleanField("available", there);
          json.writeEndObject();
          json.writeObjectFieldStart("policy");
          json.writeStringField("origin", inForce.origin());
          json.writeStringField("loaded_at", inForce.since().toString());
          json.writeNumberField("rules", inForce.loaded().policy().rules().size());
          writeRejected(inForce, json);
          json.writeEndObject();
          json.writeEndObject();
        });
  }

  static void writeRejected(PolicyInForce inForce, JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("rejected");
    for (Problem problem : inForce.rejected()) {
      json.writeString(problem.toString());
    }
    json.writeEndArray();
  }
}
