package io.penstock.cli;

import io.penstock.policy.Policy;
import io.penstock.policy.cases.CasesReport;
import io.penstock.policy.cases.PolicyCases;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.ProblemPrinter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock test}. */
@Command(
    name = "test",
    description =
        "Evaluates the requests of test cases on a virtual clock and compares the decisions.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all decisions are as expected",
      "1:some decisions differ",
      "2:the policy or a file of cases is invalid"
    },
    footerHeading = "%nExample:%n",
    footer = "  penstock test policy.yaml login-cases.yaml")
final class TestCommand implements Callable<Integer> {
  private final Console console;

  @Parameters(
      index = "0",
      paramLabel = "POLICY",
      description = "A policy file, or a folder of policy files.")
  private @Nullable Path policyPath;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "CASES",
      description =
          "Files of test cases; docs/cli.md has an example. Policies that they name are not read.")
  private List<Path> casesPaths = new ArrayList<>();

  @Option(names = "--format", paramLabel = "FORM", description = Format.HELP)
  private Format format = Format.TEXT;

  TestCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Map<Path, CasesReport> reports = new LinkedHashMap<>();
    List<Problem> problems = new ArrayList<>();
    Policy policy = load(problems);
    if (policy != null) {
      for (Path cases : casesPaths) {
        try {
          reports.put(cases, PolicyCases.run(cases, policy));
        } catch (PolicyException e) {
          problems.addAll(e.problems());
        }
      }
    }
    boolean passed = reports.values().stream().allMatch(CasesReport::passed);
    if (format == Format.JSON) {
      console.out().println(CasesJson.of(reports, problems));
    } else {
      reports.forEach(this::print);
      new ProblemPrinter(console.err()::println, console.isColored()).print(problems);
    }
    return console.exitStatus(
        !problems.isEmpty() ? Console.INVALID : passed ? Console.OK : Console.FAILED);
  }

  private @Nullable Policy load(List<Problem> problems) {
    if (policyPath == null) {
      throw new IllegalStateException("no policy");
    }
    try {
      return PolicyLoader.load(policyPath).policy();
    } catch (PolicyException e) {
      problems.addAll(e.problems());
      return null;
    }
  }

  /** Prints a report. The last line is its summary, which is prefixed with the file name. */
  private void print(Path cases, CasesReport report) {
    List<String> lines = report.lines();
    lines.subList(0, lines.size() - 1).forEach(console.out()::println);
    console.out().println(cases + ": " + lines.get(lines.size() - 1));
  }
}
