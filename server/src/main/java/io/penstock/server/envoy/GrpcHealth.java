package io.penstock.server.envoy;

import io.penstock.server.envoy.proto.health.HealthCheckRequest;
import io.penstock.server.envoy.proto.health.HealthCheckResponse;
import io.penstock.server.envoy.proto.health.HealthCheckResponse.ServingStatus;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** The health of the gRPC services: serving until shutdown starts. Thread-safe. */
final class GrpcHealth {
  /** The max number of clients that watch the health. */
  static final int MAX_WATCHERS = 1_000;

  private final Set<String> services;

  /** The open responses, each with the executor of its event loop. */
  private final Map<GrpcServerResponse<?, HealthCheckResponse>, Executor> watchers =
      new ConcurrentHashMap<>();

  private volatile boolean stopping;

  /**
   * @param services the names that clients may ask for
   */
  GrpcHealth(Set<String> services) {
    this.services = Set.copyOf(services);
  }

  boolean isServing() {
    return !stopping;
  }

  /** Reports from now on that the services are not serving, and ends all watches. */
  void stop() {
    stopping = true;
    watchers.forEach((response, eventLoop) -> eventLoop.execute(() -> end(response)));
  }

  private void end(GrpcServerResponse<?, HealthCheckResponse> response) {
    if (watchers.remove(response) != null) {
      var unused = response.end(message(ServingStatus.NOT_SERVING));
    }
  }

  void check(
      HealthCheckRequest request, GrpcServerRequest<HealthCheckRequest, HealthCheckResponse> call) {
    if (services.contains(request.getService())) {
      var unused = call.response().end(message(status(request)));
    } else {
      GrpcEndpoint.fail(call.response(), GrpcStatus.NOT_FOUND, "unknown service");
    }
  }

  /** Sends the status now, and again when it changes. */
  void watch(
      HealthCheckRequest request, GrpcServerRequest<HealthCheckRequest, HealthCheckResponse> call) {
    GrpcServerResponse<HealthCheckRequest, HealthCheckResponse> response = call.response();
    if (watchers.size() >= MAX_WATCHERS) {
      GrpcEndpoint.fail(response, GrpcStatus.RESOURCE_EXHAUSTED, "too many watches");
      return;
    }
    call.exceptionHandler(reset -> watchers.remove(response));
    response.exceptionHandler(reset -> watchers.remove(response));
    watchers.put(response, VertxInternals.eventLoop());
    var unused = response.write(message(status(request)));
    if (stopping) {
      end(response);
    }
  }

  private ServingStatus status(HealthCheckRequest request) {
    if (!services.contains(request.getService())) {
      return ServingStatus.SERVICE_UNKNOWN;
    }
    return stopping ? ServingStatus.NOT_SERVING : ServingStatus.SERVING;
  }

  private static HealthCheckResponse message(ServingStatus status) {
    return HealthCheckResponse.newBuilder().setStatus(status).build();
  }
}
