package io.penstock.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code penstock help}. Picocli's own help command conflicts with the inherited {@code -h}. */
@Command(name = "help", description = "Prints the help of a command.")
final class HelpCommand implements Callable<Integer> {
  private final Console console;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "COMMAND", arity = "0..1", description = "A command, such as serve.")
  private @Nullable String name;

  HelpCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    CommandLine penstock = Objects.requireNonNull(spec).commandLine().getParent();
    CommandLine command = name == null ? penstock : penstock.getSubcommands().get(name);
    if (command == null) {
      throw new ParameterException(penstock, "Unknown command: " + name);
    }
    command.usage(console.out());
    return console.exitStatus(Console.OK);
  }
}
