package io.penstock.cli;

import io.penstock.policy.load.Suggestions;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in a few lines what is wrong with a command line; help would push it off the screen. */
final class UsageErrors implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException mistake, String[] args) {
    CommandLine command = mistake.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("penstock: " + mistake.getMessage());
    if (mistake instanceof UnmatchedArgumentException unmatched) {
      String meant = Suggestions.to(unmatched.getUnmatched().get(0), words(command));
      if (meant != null) {
        err.println("Did you mean " + meant + "?");
      }
    }
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help");
    return Console.UNUSABLE;
  }

  private static List<String> words(CommandLine command) {
    List<String> words = new ArrayList<>(command.getSubcommands().keySet());
    words.addAll(command.getCommandSpec().optionsMap().keySet());
    return words;
  }
}
