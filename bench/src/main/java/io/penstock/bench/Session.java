package io.penstock.bench;

import io.penstock.bench.Parts.Part;
import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Machine;
import io.penstock.bench.report.Page;
import io.penstock.bench.report.Ratio;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures, and prints what is found: the tables of each part, then the RATIO lines of all, nothing
 * after them. Not thread-safe.
 */
final class Session {
  private static final Path DOCS = Path.of("docs");

  private final Options options;
  private final List<Ratio> ratios = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final Page page;

  Session(Options options) {
    this.options = options;
    this.page =
        new Page(
            options.quick()
                ? "bench/run all --quick --report (too short to be quoted)"
                : "bench/run all --report");
  }

  /** A part that fails doesn't keep the others from being measured, but the end is a failure. */
  void measure(List<Parts> runs) throws IOException, InterruptedException {
    System.out.println(Machine.describe());
    int total = runs.stream().mapToInt(run -> run.parts().size()).sum();
    int begun = 0;
    for (Parts run : runs) {
      page.run(run.title(), "bench/run " + run.name());
      for (Part part : options.choose(run.parts(), Part::name)) {
        begun++;
        if (runs.size() > 1) {
          System.err.printf("part %d of %d: %s %s%n", begun, total, run.name(), part.name());
        }
        measure(part, runs.size() > 1);
      }
    }
    ratios.forEach(System.out::println);
    if (options.report()) {
      page.write(DOCS);
    }
    if (!failures.isEmpty()) {
      throw new FailedRunException(String.join("; ", failures));
    }
  }

  private void measure(Part part, boolean goesOn) throws IOException, InterruptedException {
    try {
      Findings findings = part.measurement().measure(options.quick());
      findings.tables().forEach(System.out::println);
      if (!findings.notes().isEmpty()) {
        System.out.println(findings.notes());
      }
      ratios.addAll(findings.ratios());
      page.part(part.title(), findings);
    } catch (IOException | RuntimeException failed) {
      if (!goesOn) {
        throw failed;
      }
      String why =
          failed instanceof FailedRunException
              ? String.valueOf(failed.getMessage())
              : failed.toString();
      failures.add(part.name() + ": " + why);
      page.failed(part.title(), why);
    }
  }
}
