package io.penstock.server;

import io.penstock.server.admin.MetricsEndpoint;
import io.penstock.server.envoy.EnvoyService;
import io.penstock.server.http.HttpListener;
import io.penstock.server.http.Routes;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The listeners of envoyproxy/ratelimit for operators, as far as their ports are set: debug and
 * metrics. Thread-safe.
 */
final class EnvoyDiagnostics {
  private final Optional<HttpListener> debug;
  private final Optional<HttpListener> metrics;

  /**
   * Opens the listeners, which hold their connections until {@link #accept}.
   *
   * @throws StartException if one of them can't be opened
   */
  EnvoyDiagnostics(
      Settings settings,
      ListenerOpening opening,
      Optional<EnvoyService> envoy,
      MetricsEndpoint endpoint) {
    this.debug =
        envoy.flatMap(
            service ->
                options(settings, Setting.ENVOY_DEBUG_HOST, Setting.ENVOY_DEBUG_PORT)
                    .map(
                        options ->
                            opening.open(
                                Setting.ENVOY_DEBUG_PORT, options, service.debugRoutes())));
    this.metrics =
        envoy.flatMap(
            service ->
                options(settings, Setting.ENVOY_METRICS_HOST, Setting.ENVOY_METRICS_PORT)
                    .map(
                        options ->
                            opening.open(
                                Setting.ENVOY_METRICS_PORT,
                                options,
                                new Routes()
                                    .on(HttpMethod.GET, settings.envoyMetricsPath(), endpoint))));
  }

  private static Optional<HttpServerOptions> options(
      Settings settings, Setting host, Setting port) {
    return settings
        .address(host, port)
        .map(address -> ListenerPolicy.options(address.getHostString(), address.getPort()));
  }

  Optional<Integer> debugPort() {
    return debug.map(HttpListener::port);
  }

  Optional<Integer> metricsPort() {
    return metrics.map(HttpListener::port);
  }

  void accept() {
    listeners().forEach(listener -> listener.connections().accept());
  }

  Future<Void> close(Duration timeout) {
    return Future.join(listeners().map(listener -> listener.close(timeout)).toList()).mapEmpty();
  }

  private Stream<HttpListener> listeners() {
    return Stream.concat(debug.stream(), metrics.stream());
  }
}
