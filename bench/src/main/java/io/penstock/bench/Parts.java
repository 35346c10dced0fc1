package io.penstock.bench;

import io.penstock.bench.http.AuditPart;
import io.penstock.bench.http.DoorsPart;
import io.penstock.bench.http.ProxyPart;
import io.penstock.bench.http.SpringPart;
import io.penstock.bench.local.LimiterPart;
import io.penstock.bench.local.MemoryPart;
import io.penstock.bench.policy.PolicyPart;
import io.penstock.bench.redis.OverGrantPart;
import io.penstock.bench.redis.SharedPart;
import io.penstock.bench.redis.SizingPart;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Machine;
import io.penstock.bench.report.Ratio;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A kind of benchmark: the tables of its parts, then the RATIO lines of all, nothing after them.
 */
record Parts(List<Part> parts) {
  /** Inside one process. */
  static final Parts LOCAL =
      new Parts(
          List.of(
              new Part("limiters", LimiterPart::measure),
              new Part("memory", MemoryPart::measure),
              new Part("policy", PolicyPart::measure)));

  /** Many processes, one Redis. */
  static final Parts REDIS =
      new Parts(
          List.of(
              new Part("limiters", SharedPart::measure),
              new Part("overgrant", OverGrantPart::measure),
              new Part("sizing", SizingPart::measure)));

  /** The service over the wire. */
  static final Parts HTTP =
      new Parts(
          List.of(
              new Part("doors", DoorsPart::measure),
              new Part("proxy", ProxyPart::measure),
              new Part("audit", AuditPart::measure)));

  /** Inside an application. */
  static final Parts SPRING = new Parts(List.of(new Part("mvc", SpringPart::measure)));

  /** What can be asked for alone. */
  record Part(String name, Measurement measurement) {}

  interface Measurement {
    Findings measure(boolean quick) throws IOException, InterruptedException;
  }

  void measure(Options options) throws IOException, InterruptedException {
    List<Part> chosen = options.choose(parts, Part::name);
    System.out.println(Machine.describe());
    List<Ratio> ratios = new ArrayList<>();
    for (Part part : chosen) {
      Findings findings = part.measurement.measure(options.quick());
      findings.tables().forEach(System.out::println);
      if (!findings.notes().isEmpty()) {
        System.out.println(findings.notes());
      }
      ratios.addAll(findings.ratios());
    }
    ratios.forEach(System.out::println);
  }
}
