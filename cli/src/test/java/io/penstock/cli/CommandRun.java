package io.penstock.cli;

import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * The result of a command that ran in this process.
 *
 * @param out its standard output
 * @param err its standard error
 */
public record CommandRun(int status, String out, String err) {
  public static CommandRun of(String... args) {
    return withInput("", args);
  }

  static CommandRun withInput(String input, String... args) {
    return run(input, false, args);
  }

  /** Runs a command that can ask questions. */
  static CommandRun onTerminal(String input, String... args) {
    return run(input, true, args);
  }

  private static CommandRun run(String input, boolean terminal, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Console console =
        new Console(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            false,
            terminal,
            false);
    int status = Main.commandLine(console).execute(args);
    return new CommandRun(status, out.toString(), err.toString());
  }
}
