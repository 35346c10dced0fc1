package io.penstock.server.admin;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Returns all metrics in the formats of Prometheus. Thread-safe. */
public final class MetricsEndpoint implements Handler<HttpServerRequest> {
  private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";
  private static final String OPEN_METRICS =
      "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private final PrometheusMeterRegistry registry;

  public MetricsEndpoint(PrometheusMeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void handle(HttpServerRequest request) {
    String type = type(request.getHeader("Accept"));
    request.response().putHeader("Content-Type", type).end(registry.scrape(type));
  }

  private static String type(@Nullable String accept) {
    return accept != null && accept.contains("application/openmetrics-text")
        ? OPEN_METRICS
        : PROMETHEUS_TEXT;
  }
}
