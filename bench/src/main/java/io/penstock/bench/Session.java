package io.penstock.bench;

import io.penstock.bench.Parts.Part;
import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Machine;
import io.penstock.bench.report.Overview;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ResultPage;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the benchmarks and prints the results: the tables of each part, then the targets with their
 * verdicts and the RATIO lines of all parts as the last output. Not thread-safe.
 */
final class Session {
  private static final Path DOCS = Path.of("docs");
  private static final Path RUN_LOG = DOCS.resolve("benchmarks");

  /** Quick runs are too noisy for the log that is committed. */
  private static final Path QUICK_RUN_LOG = Path.of("bench", "target", "benchmarks");

  private final Options options;
  private final List<Ratio> ratios = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final String command;
  private final ResultPage page;

  /**
   * @param name the name of the run on the command line
   */
  Session(String name, Options options) {
    this.options = options;
    this.command = ("bench/run " + name + " " + options).strip();
    this.page = new ResultPage(command);
  }

  /**
   * Runs all parts. If one of several runs fails, the others continue, and the session fails at the
   * end.
   */
  void measure(List<Parts> runs) throws IOException, InterruptedException {
    boolean all = runs.size() > 1;
    if (options.report() && !all && !ResultPage.isOfThisMachine(DOCS)) {
      throw new WrongUsageException(
          "docs/BENCHMARKS.md is not of this machine and these versions;"
              + " run bench/run all --report first");
    }
    RunLog log = RunLog.open(options.quick() ? QUICK_RUN_LOG : RUN_LOG, command);
    System.out.println(Machine.describe());
    int total = runs.stream().mapToInt(run -> run.parts().size()).sum();
    int started = 0;
    for (Parts run : runs) {
      for (Part part : options.choose(run.parts(), Part::name)) {
        started++;
        if (all) {
          System.err.printf("part %d of %d: %s %s%n", started, total, run.name(), part.name());
        }
        measure(run, part, log, all);
      }
    }
    System.out.println(new Overview(ratios).targets());
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

  private void measure(Parts run, Part part, RunLog log, boolean continueOnFailure)
      throws IOException, InterruptedException {
    String runCommand = "bench/run " + run.name();
    try {
      Findings findings =
          part.measurement().measure(options.quick(), log.of(run.name(), part.name()));
      findings.tables().forEach(System.out::println);
      if (!findings.notes().isEmpty()) {
        System.out.println(findings.notes());
      }
      ratios.addAll(findings.ratios());
      page.part(run.title(), runCommand, part.title(), findings);
    } catch (IOException | RuntimeException failed) {
      if (!continueOnFailure) {
        throw failed;
      }
      String reason =
          failed instanceof FailedRunException
              ? String.valueOf(failed.getMessage())
              : failed.toString();
      failures.add(part.name() + ": " + reason);
      page.failed(run.title(), runCommand, part.title(), reason);
    }
  }
}
