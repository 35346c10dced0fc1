package io.penstock.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.policy.address.IpAddress;
import io.penstock.server.http.Connections;
import io.penstock.server.http.FailedRequests;
import java.util.function.Predicate;

/**
 * Creates the connection limits and the failure handler of each listener, with their metrics.
 *
 * @param trusted the proxies that carry the connections of many clients
 */
record ListenerMeters(MeterRegistry registry, Predicate<IpAddress> trusted) {
  Connections connections(String listener, Connections.ConnectionLimits limits) {
    Connections connections = new Connections(listener, limits, trusted);
    Gauge.builder("penstock.connections", connections, Connections::open)
        .description("Client connections")
        .tag("listener", listener)
        .register(registry);
    for (Connections.ConnectionRejection reason : Connections.ConnectionRejection.values()) {
      FunctionCounter.builder(
              "penstock.connections.refused", connections, all -> all.rejected(reason))
          .description("Connections that were closed on arrival because a limit was reached")
          .tag("listener", listener)
          .tag("reason", reason.label())
          .register(registry);
    }
    return connections;
  }

  FailedRequests failures(String listener) {
    FailedRequests failures = new FailedRequests(listener);
    FunctionCounter.builder("penstock.requests.failed", failures, FailedRequests::count)
        .description("Requests that got 500 because of an internal error")
        .tag("listener", listener)
        .register(registry);
    return failures;
  }
}
