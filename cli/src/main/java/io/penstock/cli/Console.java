package io.penstock.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/**
 * The input and output streams of a command. The writers never throw: when the reader has closed
 * the pipe, as {@code head} does, further output is discarded.
 *
 * @param isColored whether output goes to a terminal that shows colors
 * @param isInteractive whether a person can answer questions
 * @param isErrorShown whether errors go to a terminal
 */
record Console(
    PrintWriter out,
    PrintWriter err,
    InputStream in,
    boolean isColored,
    boolean isInteractive,
    boolean isErrorShown) {
  /** What standard error is connected to, on Linux. */
  private static final Path ERROR = Path.of("/proc/self/fd/2");

  /** The command succeeded. */
  static final int OK = CommandLine.ExitCode.OK;

  /** The command ran, and its result is negative: a test failed, a server is unreachable. */
  static final int FAILED = CommandLine.ExitCode.SOFTWARE;

  /** An argument, a setting or a file is invalid. */
  static final int INVALID = CommandLine.ExitCode.USAGE;

  Console(PrintWriter out, PrintWriter err, InputStream in) {
    this(out, err, in, false, false, false);
  }

  /**
   * Returns the standard streams. Output is UTF-8 whatever the locale, because containers often
   * have none. It is colored on a terminal, unless {@code NO_COLOR} is set.
   */
  static Console ofProcess() {
    return new Console(
        writer(FileDescriptor.out),
        writer(FileDescriptor.err),
        System.in,
        CommandLine.Help.Ansi.AUTO.enabled(),
        isTerminal(),
        isErrorTerminal());
  }

  private static boolean isErrorTerminal() {
    try {
      return Files.readSymbolicLink(ERROR).toString().matches("/dev/(pts/.*|tty.*|console)");
    } catch (IOException | UnsupportedOperationException notLinux) {
      return isTerminal();
    }
  }

  /** Since Java 22, there is a console without a terminal, too. */
  @SuppressWarnings("SystemConsoleNull") // Java 17 to 21 return null.
  private static boolean isTerminal() {
    java.io.Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) java.io.Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException java21OrEarlier) {
      return true;
    }
  }

  /**
   * Returns the exit status of a command that has printed its output: {@code status}, or {@link
   * #FAILED} if the output could not be written, for example because the disk is full.
   */
  int exitStatus(int status) {
    return status == OK && out.checkError() ? FAILED : status;
  }

  private static PrintWriter writer(FileDescriptor target) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(target), StandardCharsets.UTF_8), true);
  }
}
