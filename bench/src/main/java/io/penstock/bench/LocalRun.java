package io.penstock.bench;

import io.penstock.bench.local.LimiterPart;
import io.penstock.bench.local.MemoryPart;
import io.penstock.bench.policy.PolicyPart;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Machine;
import io.penstock.bench.report.Ratio;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code bench/run local}: the tables of its parts, then the RATIO lines of all. */
final class LocalRun {
  private static final List<Part> PARTS =
      List.of(
          new Part("limiters", LimiterPart::measure),
          new Part("memory", MemoryPart::measure),
          new Part("policy", PolicyPart::measure));

  /** What can be asked for alone. */
  private record Part(String name, Measurement measurement) {}

  private interface Measurement {
    Findings measure(boolean quick) throws IOException, InterruptedException;
  }

  private LocalRun() {}

  static void run(Options options) throws IOException, InterruptedException {
    List<Part> parts = options.choose(PARTS, Part::name);
    System.out.println(Machine.describe());
    List<Ratio> ratios = new ArrayList<>();
    for (Part part : parts) {
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
