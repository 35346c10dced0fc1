package io.penstock.server.admin;

import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.simulation.Simulation;
import io.penstock.server.simulation.SimulationInput;
import io.penstock.server.simulation.SimulationResult;
import io.penstock.server.simulation.SimulationTooLargeException;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint that simulates a limit, which changes nothing. Thread-safe.
 *
 * <p>Only a few requests are admitted at a time, before their bodies are read, and only one of them
 * is parsed and simulated at a time, because both can take a lot of memory and CPU time.
 */
public final class SimulationEndpoint {
  private static final int MAX_BODY_BYTES = 1 << 20;
  static final int MAX_PENDING = 4;

  private final WorkerCalls calls;
  private final Bodies bodies;
  private final AtomicInteger pending = new AtomicInteger();

  private record Simulated(SimulationInput input, SimulationResult result) {}

  public SimulationEndpoint(Vertx vertx, Bodies bodies) {
    this.calls = new WorkerCalls(vertx);
    this.bodies = bodies.upTo(MAX_BODY_BYTES);
  }

  void simulate(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (pending.incrementAndGet() > MAX_PENDING) {
      pending.decrementAndGet();
      ProblemResponses.end(
          response.putHeader("Retry-After", "1"),
          503,
          "Service Unavailable",
          "At most " + MAX_PENDING + " simulations are accepted at a time");
      return;
    }
    AtomicBoolean hasBody = new AtomicBoolean();
    response.endHandler(
        ended -> {
          if (hasBody.compareAndSet(false, true)) {
            pending.decrementAndGet();
          }
        });
    bodies.read(
        request,
        body -> {
          if (hasBody.compareAndSet(false, true)) {
            run(request, body);
          }
        });
  }

  private void run(HttpServerRequest request, Buffer body) {
    calls.respond(
        request,
        () -> JsonDocuments.parse(body, SimulationEndpoint::simulated),
        simulated -> simulated.complete(request, result -> write(request, result)),
        failure ->
            failure instanceof SimulationTooLargeException tooLarge
                ? tooLarge.getMessage() + "; shorten duration_ms, or send fewer requests"
                : null,
        pending::decrementAndGet);
  }

  private static @Nullable Simulated simulated(Node document, Problems problems) {
    SimulationInput input = SimulationRequest.read(document, problems);
    return input == null || problems.errorCount() > 0
        ? null
        : new Simulated(input, Simulation.run(input));
  }

  private static void write(HttpServerRequest request, Simulated simulated) {
    SimulationInput input = simulated.input;
    SimulationResult result = simulated.result;
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
