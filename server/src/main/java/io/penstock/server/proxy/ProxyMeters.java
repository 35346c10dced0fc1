package io.penstock.server.proxy;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** The metrics of the proxy listener. */
public final class ProxyMeters {
  private ProxyMeters() {}

  /** Registers the metrics of a listener. */
  public static void register(ProxyListener listener, MeterRegistry registry) {
    Gauge.builder("penstock.proxy.held", listener, ProxyListener::held)
        .description("Requests held back by rules with on_limit: delay")
        .register(registry);
    Gauge.builder("penstock.proxy.in.flight", listener, ProxyListener::inFlight)
        .description("Requests in flight to the origin, including WebSockets")
        .register(registry);
    FunctionCounter.builder("penstock.proxy.refunded", listener, ProxyListener::refunded)
        .description("Requests that were refunded because the origin could not be reached")
        .register(registry);
    FunctionCounter.builder("penstock.proxy.unavailable", listener, ProxyListener::unavailableCount)
        .description("Requests that got 503 because no connection to the origin became free")
        .register(registry);
    FunctionCounter.builder("penstock.proxy.slow.clients", listener, ProxyListener::slowClientCount)
        .description("Exchanges that were ended because the client read or sent too slowly")
        .register(registry);
    FunctionCounter.builder("penstock.proxy.surplus", listener, ProxyListener::surplusCount)
        .description(
            "Origin connections and streams closed because of bytes that belong to no response")
        .register(registry);
  }
}
