package io.penstock.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code penstock completion}. */
@Command(
    name = "completion",
    description = "Prints a script that lets bash and zsh complete commands and options.",
    footerHeading = "%nExample:%n",
    footer = "  source <(penstock completion)")
final class CompletionCommand implements Callable<Integer> {
  private final Console console;

  @Spec private @Nullable CommandSpec spec;

  CompletionCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    CommandSpec root = Objects.requireNonNull(spec).root();
    console.out().println(AutoComplete.bash(root.name(), root.commandLine()));
    return console.exitStatus(Console.OK);
  }
}
