package io.penstock.cli;

import io.penstock.server.log.Logs;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command {@code penstock}. */
@Command(
    name = "penstock",
    description = "A rate limiter: library, decision service and proxy.",
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Start with: penstock serve. Every command has a --help option."})
public final class Main implements Callable<Integer> {
  private static final int WIDTH = 96;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Prints this help and exits.")
  @SuppressWarnings("unused")
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Prints the version and exits.")
  @SuppressWarnings("unused")
  private boolean version;

  private Main() {}

  /** Runs a command and exits with its status. */
  public static void main(String[] args) {
    Logs.quiet();
    System.exit(commandLine(Console.ofProcess()).execute(args));
  }

  static CommandLine commandLine(Console console) {
    return new CommandLine(new Main())
        .addSubcommand(ServeCommand.commandLine(console))
        .addSubcommand(new InitCommand(console))
        .addSubcommand(new ValidateCommand(console))
        .addSubcommand(new TestCommand(console))
        .addSubcommand(new ExplainCommand(console))
        .addSubcommand(new ReplayCommand(console))
        .addSubcommand(new AdviseCommand(console, System.getenv()))
        .addSubcommand(new ImportCommand(console))
        .addSubcommand(new RulesCommand(console, System.getenv()))
        .addSubcommand(new TopCommand(console, System.getenv()))
        .addSubcommand(new TokenCommand(console))
        .addSubcommand(new SampleCommand(console))
        .addSubcommand(new SchemaCommand(console))
        .addSubcommand(new CompletionCommand(console))
        .addSubcommand(new VersionCommand(console))
        .addSubcommand(new HelpCommand(console))
        .setOut(console.out())
        .setErr(console.err())
        .setUsageHelpWidth(WIDTH)
        .setCaseInsensitiveEnumValuesAllowed(true)
        // Commands that accept @FILE read the file themselves.
        .setExpandAtFiles(false)
        .setParameterExceptionHandler(new UsageErrors());
  }

  /** Prints the list of commands, because none was given. */
  @Override
  public Integer call() {
    CommandLine commandLine = Objects.requireNonNull(spec).commandLine();
    commandLine.usage(commandLine.getErr());
    return Console.INVALID;
  }
}
