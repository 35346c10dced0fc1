package io.penstock.cli;

import io.penstock.policy.load.Suggestions;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reports errors in the command line in a few lines. The full help would scroll the error off the
 * screen.
 */
final class UsageErrors implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException error, String[] args) {
    CommandLine command = error.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("penstock: " + error.getMessage());
    if (error instanceof UnmatchedArgumentException unmatched) {
      String suggestion = Suggestions.to(unmatched.getUnmatched().get(0), words(command));
      if (suggestion != null) {
        err.println("Did you mean " + suggestion + "?");
      }
    }
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help");
    return Console.INVALID;
  }

  private static List<String> words(CommandLine command) {
    List<String> words = new ArrayList<>(command.getSubcommands().keySet());
    words.addAll(command.getCommandSpec().optionsMap().keySet());
    return words;
  }
}
