package io.penstock.cli;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.ProblemPrinter;
import io.penstock.policy.migration.Bucket4jImport;
import io.penstock.policy.migration.FairvisorImport;
import io.penstock.policy.migration.ImportedPolicy;
import io.penstock.server.envoy.EnvoyImport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock import}. */
@Command(
    name = "import",
    description = {
      "Prints the policy that is equivalent to the configuration of another rate limiter, and"
          + " reports what has no equivalent.",
      "",
      "  envoy      files or folders of envoyproxy/ratelimit, which form one configuration",
      "  fairvisor  policy bundles of Fairvisor Edge",
      "  bucket4j   application.yml or .properties files of bucket4j-spring-boot-starter"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:the policy was printed", "2:a file or an argument is invalid"},
    footerHeading = "%nExample:%n",
    footer = "  penstock import envoy ratelimit.yaml > policy.yaml")
final class ImportCommand implements Callable<Integer> {
  private enum Source {
    ENVOY,
    FAIRVISOR,
    BUCKET4J
  }

  private enum ImportedAlgorithm {
    TOKEN_BUCKET,
    FIXED_WINDOW
  }

  private final Console console;

  @Parameters(index = "0", paramLabel = "SOURCE", description = "envoy, fairvisor or bucket4j.")
  private Source source = Source.ENVOY;

  @Parameters(
      index = "1..*",
      paramLabel = "FILE",
      arity = "1..*",
      description = "A configuration file, or a folder of them.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--algorithm",
      paramLabel = "FORM",
      description =
          "How limits of Envoy count: token_bucket (default), with the requests of the unit as burst,"
              + " or fixed_window.")
  private ImportedAlgorithm algorithm = ImportedAlgorithm.TOKEN_BUCKET;

  ImportCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    ProblemPrinter printer = new ProblemPrinter(console.err()::println, console.isColored());
    try {
      ImportedPolicy imported =
          switch (source) {
            case ENVOY -> EnvoyImport.of(files, algorithm == ImportedAlgorithm.FIXED_WINDOW);
            case FAIRVISOR -> FairvisorImport.of(files);
            case BUCKET4J -> Bucket4jImport.of(files);
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
