package io.penstock.bench;

import io.penstock.bench.http.AuditPart;
import io.penstock.bench.http.DoorsPart;
import io.penstock.bench.http.ProxyPart;
import io.penstock.bench.http.SpringPart;
import io.penstock.bench.local.KeysPart;
import io.penstock.bench.local.LimiterPart;
import io.penstock.bench.local.LimitsPart;
import io.penstock.bench.local.MemoryPart;
import io.penstock.bench.policy.PolicyPart;
import io.penstock.bench.redis.CallersPart;
import io.penstock.bench.redis.ClusterPart;
import io.penstock.bench.redis.LeasePart;
import io.penstock.bench.redis.NodesPart;
import io.penstock.bench.redis.OverGrantPart;
import io.penstock.bench.redis.SharedPart;
import io.penstock.bench.redis.SizingPart;
import io.penstock.bench.report.Findings;
import java.io.IOException;
import java.util.List;

/** A kind of benchmark, which has parts that can be asked for alone. */
record Parts(String name, String title, List<Part> parts) {
  /** All kinds, in the order in which they are run. */
  static final List<Parts> ALL =
      List.of(
          new Parts(
              "local",
              "Inside one process",
              List.of(
                  new Part("limiters", "One key, and many", LimiterPart::measure),
                  new Part("memory", "Memory", MemoryPart::measure),
                  new Part("policy", "Policies", PolicyPart::measure))),
          new Parts(
              "redis",
              "Many processes, one Redis",
              List.of(
                  new Part("limiters", "Throughput", SharedPart::measure),
                  new Part("overgrant", "Over-grant", OverGrantPart::measure),
                  new Part("leases", "Tokens of a leased key", LeasePart::measure),
                  new Part("sizing", "What Redis needs", SizingPart::measure),
                  new Part("cluster", "A cluster beside one server", ClusterPart::measure))),
          new Parts(
              "http",
              "Over the wire",
              List.of(
                  new Part("doors", "The decision service", DoorsPart::measure),
                  new Part("proxy", "The proxy", ProxyPart::measure),
                  new Part("audit", "A log of every denial", AuditPart::measure))),
          new Parts(
              "spring",
              "Inside an application",
              List.of(new Part("mvc", "Spring MVC", SpringPart::measure))),
          new Parts(
              "growth",
              "How cost grows",
              List.of(
                  new Part("keys", "With keys", KeysPart::measure),
                  new Part("limits", "With limits a request", LimitsPart::measure),
                  new Part("callers", "With callers", CallersPart::measure),
                  new Part("nodes", "With processes", NodesPart::measure))));

  /** What can be asked for alone. */
  record Part(String name, String title, Measurement measurement) {}

  interface Measurement {
    Findings measure(boolean quick) throws IOException, InterruptedException;
  }
}
