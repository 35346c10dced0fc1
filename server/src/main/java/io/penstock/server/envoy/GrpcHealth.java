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
import java.util.function.BooleanSupplier;

/** The health of the gRPC services: serving until shutdown starts, if configured. Thread-safe. */
final class GrpcHealth {
  /** The max number of clients that watch the health. */
  static final int MAX_WATCHERS = 1_000;

  private final Set<String> services;
  private final BooleanSupplier configured;

  private final Map<GrpcServerResponse<?, HealthCheckResponse>, Watcher> watchers =
      new ConcurrentHashMap<>();

  private volatile boolean stopping;

  /**
   * @param services the names that clients may ask for
   * @param configured whether the services have the configuration that they need
   */
  GrpcHealth(Set<String> services, BooleanSupplier configured) {
    this.services = Set.copyOf(services);
    this.configured = configured;
  }

  /** An open response. Its status is confined to its event loop. */
  private static final class Watcher {
    final HealthCheckRequest request;
    final Executor eventLoop;
    ServingStatus sent;

    Watcher(HealthCheckRequest request, Executor eventLoop, ServingStatus sent) {
      this.request = request;
      this.eventLoop = eventLoop;
      this.sent = sent;
    }
  }

  boolean isServing() {
    return !stopping && configured.getAsBoolean();
  }

  /** Reports the health to all watches where it has changed, because the configuration has. */
  void update() {
    watchers.forEach(
        (response, watcher) ->
            watcher.eventLoop.execute(
                () -> {
                  ServingStatus now = status(watcher.request);
                  if (now != watcher.sent && watchers.containsKey(response)) {
                    watcher.sent = now;
                    var unused = response.write(message(now));
                  }
                }));
  }

  /** Reports from now on that the services are not serving, and ends all watches. */
  void stop() {
    stopping = true;
    watchers.forEach((response, watcher) -> watcher.eventLoop.execute(() -> end(response)));
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
    ServingStatus now = status(request);
    watchers.put(response, new Watcher(request, VertxInternals.eventLoop(), now));
    var unused = response.write(message(now));
    if (stopping) {
      end(response);
    }
  }

  private ServingStatus status(HealthCheckRequest request) {
    if (!services.contains(request.getService())) {
      return ServingStatus.SERVICE_UNKNOWN;
    }
    return isServing() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  private static HealthCheckResponse message(ServingStatus status) {
    return HealthCheckResponse.newBuilder().setStatus(status).build();
  }
}
