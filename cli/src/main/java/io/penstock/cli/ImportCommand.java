package io.penstock.cli;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.ProblemPrinter;
import io.penstock.server.envoy.EnvoyImport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code penstock import}. */
@Command(
    name = "import",
    description = {
      "Prints the policy that is equivalent to the configuration of another rate limiter, and"
          + " reports what has no equivalent.",
      "",
      "  envoy  files or folders of envoyproxy/ratelimit, which form one configuration"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:the policy was printed", "2:a file or an argument is invalid"},
    footerHeading = "%nExample:%n",
    footer = "  penstock import envoy ratelimit.yaml > policy.yaml")
final class ImportCommand implements Callable<Integer> {
  private enum Source {
    ENVOY
  }

  private final Console console;

  @Parameters(index = "0", paramLabel = "SOURCE", description = "envoy.")
  private Source source = Source.ENVOY;

  @Parameters(
      index = "1..*",
      paramLabel = "FILE",
      arity = "1..*",
      description = "A configuration file, or a folder of them.")
  private List<Path> files = new ArrayList<>();

  ImportCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    ProblemPrinter printer = new ProblemPrinter(console.err()::println, console.isColored());
    try {
      EnvoyImport imported =
          switch (source) {
            case ENVOY -> EnvoyImport.of(files);
          };
      console.out().print(imported.policy());
      printer.print(imported.problems());
      return console.exitStatus(Console.OK);
    } catch (PolicyException invalid) {
      printer.print(invalid.problems());
      return Console.INVALID;
    }
  }
}
