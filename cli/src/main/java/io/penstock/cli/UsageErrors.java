package io.penstock.cli;

import io.penstock.policy.load.Suggestions;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reports errors in the command line in a few lines. The full help would scroll the error off the
 * screen.
 */
final class UsageErrors implements IParameterExceptionHandler {
  private static final String POLICY = "--policy";

  @Override
  public int handleParseException(ParameterException error, String[] args) {
    CommandLine command = error.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("penstock: " + error.getMessage());
    if (error instanceof UnmatchedArgumentException unmatched) {
      String suggestion = suggestion(unmatched.getUnmatched().get(0), command);
      if (suggestion != null) {
        err.println("Did you mean " + suggestion + "?");
      }
    }
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help");
    return Console.INVALID;
  }

  private static @Nullable String suggestion(String argument, CommandLine command) {
    boolean isFile = !argument.startsWith("-") && Files.exists(Path.of(argument));
    return isFile && command.getCommandSpec().findOption(POLICY) != null
        ? POLICY + " " + argument
        : Suggestions.to(argument, words(command));
  }

  private static List<String> words(CommandLine command) {
    List<String> words = new ArrayList<>(command.getSubcommands().keySet());
    words.addAll(command.getCommandSpec().optionsMap().keySet());
    return words;
  }
}
