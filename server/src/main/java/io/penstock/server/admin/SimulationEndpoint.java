package io.penstock.server.admin;

import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.simulation.Simulation;
import io.penstock.server.simulation.SimulationInput;
import io.penstock.server.simulation.SimulationResult;
import io.penstock.server.simulation.SimulationTooLargeException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/** The endpoint that simulates a limit, which changes nothing. Thread-safe. */
public final class SimulationEndpoint {
  private static final int MAX_BODY_BYTES = 2 << 20;

  private final Vertx vertx;
  private final Bodies bodies;

  public SimulationEndpoint(Vertx vertx, Bodies bodies) {
    this.vertx = vertx;
    this.bodies = bodies.upTo(MAX_BODY_BYTES);
  }

  void simulate(HttpServerRequest request) {
    bodies.read(
        request,
        body ->
            JsonDocuments.<SimulationInput>read(
                request, body, SimulationRequest::read, input -> simulate(request, input)));
  }

  /** Runs simulations on a worker thread, one at a time. */
  private void simulate(HttpServerRequest request, SimulationInput input) {
    vertx
        .executeBlocking(() -> Simulation.run(input), true)
        .onComplete(
            result -> write(request, input, result),
            failure -> {
              if (failure instanceof SimulationTooLargeException tooLarge) {
                ProblemResponses.end(
                    request.response(),
                    400,
                    "Bad Request",
                    tooLarge.getMessage() + "; shorten duration_ms, or send fewer requests");
              } else {
                throw new IllegalStateException("cannot simulate", failure);
              }
            });
  }

  private static void write(
      HttpServerRequest request, SimulationInput input, SimulationResult result) {
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeNumberField("burst", input.limit().burst());
          json.writeStringField("rate", input.limit().rate().toString());
          json.writeNumberField("allowed", result.allowed());
          json.writeNumberField("denied", result.denied());
          json.writeNumberField("step_ms", result.step().toMillis());
          json.writeArrayFieldStart("points");
          for (SimulationResult.SimulatedPoint point : result.points()) {
            json.writeStartObject();
            json.writeNumberField("at_ms", point.atMillis());
            json.writeNumberField("level", point.level());
            json.writeNumberField("allowed", point.allowed());
            json.writeNumberField("denied", point.denied());
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }
}
