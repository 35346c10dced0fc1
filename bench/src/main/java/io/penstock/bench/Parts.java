package io.penstock.bench;

import io.penstock.bench.http.AuditPart;
import io.penstock.bench.http.ConsolePart;
import io.penstock.bench.http.DecisionPart;
import io.penstock.bench.http.GrpcPart;
import io.penstock.bench.http.ProxyPart;
import io.penstock.bench.http.SpringPart;
import io.penstock.bench.http.StartupPart;
import io.penstock.bench.local.FairnessPart;
import io.penstock.bench.local.KeysPart;
import io.penstock.bench.local.LimiterPart;
import io.penstock.bench.local.LimitsPart;
import io.penstock.bench.local.MemoryPart;
import io.penstock.bench.logs.LogsPart;
import io.penstock.bench.policy.PolicyPart;
import io.penstock.bench.redis.CallersPart;
import io.penstock.bench.redis.ClusterPart;
import io.penstock.bench.redis.LeasePart;
import io.penstock.bench.redis.NetworkPart;
import io.penstock.bench.redis.NodesPart;
import io.penstock.bench.redis.OverGrantPart;
import io.penstock.bench.redis.SharedPart;
import io.penstock.bench.redis.SizingPart;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.List;

/** A benchmark run, which consists of parts that can be run separately. */
record Parts(String name, String title, List<Part> parts) {
  /** All runs, in execution order. */
  static final List<Parts> ALL =
      List.of(
          new Parts(
              "local",
              "In process",
              List.of(
                  new Part("limiters", "Limiters", LimiterPart::measure),
                  new Part("fairness", "Fairness", FairnessPart::measure),
                  new Part("memory", "Memory", MemoryPart::measure),
                  new Part("policy", "Policies", PolicyPart::measure))),
          new Parts(
              "redis",
              "Redis",
              List.of(
                  new Part("limiters", "Throughput", SharedPart::measure),
                  new Part("network", "Network", NetworkPart::measure),
                  new Part("overgrant", "Over-grant", OverGrantPart::measure),
                  new Part("leases", "Leases", LeasePart::measure),
                  new Part("sizing", "Server sizing", SizingPart::measure),
                  new Part("cluster", "Cluster", ClusterPart::measure))),
          new Parts(
              "http",
              "HTTP",
              List.of(
                  new Part("decision", "Decision service", DecisionPart::measure),
                  new Part("proxy", "Proxy", ProxyPart::measure),
                  new Part("startup", "Start-up and idle memory", StartupPart::measure),
                  new Part("audit", "Violation log", AuditPart::measure),
                  new Part("console", "Console", ConsolePart::measure))),
          new Parts(
              "grpc",
              "gRPC",
              List.of(
                  new Part("decision", "Rate limit service", GrpcPart::measure),
                  new Part("soak", "Soak", GrpcPart::soak))),
          new Parts(
              "spring", "Spring", List.of(new Part("mvc", "Spring MVC", SpringPart::measure))),
          new Parts(
              "logs",
              "Access logs",
              List.of(new Part("read", "Replay and advice", LogsPart::measure))),
          new Parts(
              "growth",
              "Scaling",
              List.of(
                  new Part("keys", "Keys", KeysPart::measure),
                  new Part("limits", "Limits per request", LimitsPart::measure),
                  new Part("callers", "Callers", CallersPart::measure),
                  new Part("nodes", "Processes", NodesPart::measure))));

  /** A part of a run. */
  record Part(String name, String title, Measurement measurement) {}

  interface Measurement {
    Findings measure(boolean quick, RunLog log) throws IOException, InterruptedException;
  }
}
