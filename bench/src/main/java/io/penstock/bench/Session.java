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

  /**
   * @param name of what is run, as it was asked for
   */
  Session(String name, Options options) {
    this.options = options;
    this.page = new Page("bench/run " + name + " " + options);
  }

  /** A part that fails doesn't keep the others from being measured, but the end is a failure. */
  void measure(List<Parts> runs) throws IOException, InterruptedException {
    boolean all = runs.size() > 1;
    if (options.report() && !all && !Page.isOfThisMachine(DOCS)) {
      throw new WrongUsageException(
          "there is no page of this machine and these versions yet; see bench/run all --report");
    }
    System.out.println(Machine.describe());
    int total = runs.stream().mapToInt(run -> run.parts().size()).sum();
    int begun = 0;
    for (Parts run : runs) {
      for (Part part : options.choose(run.parts(), Part::name)) {
        begun++;
        if (all) {
          System.err.printf("part %d of %d: %s %s%n", begun, total, run.name(), part.name());
        }
        measure(run, part, all);
      }
    }
    ratios.forEach(System.out::println);
    if (options.report() && all) {
      page.write(DOCS);
    } else if (options.report()) {
      page.amend(DOCS);
    }
    if (!failures.isEmpty()) {
      throw new FailedRunException(String.join("; ", failures));
    }
  }

  private void measure(Parts run, Part part, boolean goesOn)
      throws IOException, InterruptedException {
    String oneRun = "bench/run " + run.name();
    try {
      Findings findings = part.measurement().measure(options.quick());
      findings.tables().forEach(System.out::println);
      if (!findings.notes().isEmpty()) {
        System.out.println(findings.notes());
      }
      ratios.addAll(findings.ratios());
      page.part(run.title(), oneRun, part.title(), findings);
    } catch (IOException | RuntimeException failed) {
      if (!goesOn) {
        throw failed;
      }
      String why =
          failed instanceof FailedRunException
              ? String.valueOf(failed.getMessage())
              : failed.toString();
      failures.add(part.name() + ": " + why);
      page.failed(run.title(), oneRun, part.title(), why);
    }
  }
}
