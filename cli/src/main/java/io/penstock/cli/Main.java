package io.penstock.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code penstock}. */
@Command(
    name = "penstock",
    description = "A rate limiter: exact, fast, and pleasant to run.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable {
  @Spec private @Nullable CommandSpec spec;

  private Main() {}

  /** Runs a command, and ends the process with its exit status. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main()).addSubcommand(ServeCommand.commandLine());
  }

  /** Without a command there is nothing to do but to say which there are. */
  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        Objects.requireNonNull(spec).commandLine(), "say what to do");
  }
}
