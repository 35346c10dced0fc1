package io.penstock.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/**
 * Where commands write to and read from. Writers don't fail: if whoever reads has gone, as {@code
 * head} does, what is written goes nowhere.
 */
record Console(PrintWriter out, PrintWriter err, InputStream in) {
  /** Everything went well. */
  static final int GOOD = CommandLine.ExitCode.OK;

  /** The command did what it should, and what came of it isn't good. */
  static final int FAILED = CommandLine.ExitCode.SOFTWARE;

  /** What the command was given can't be used. */
  static final int UNUSABLE = CommandLine.ExitCode.USAGE;

  /** In UTF-8 whatever the locale says, because containers often have none. */
  static Console ofProcess() {
    return new Console(writer(FileDescriptor.out), writer(FileDescriptor.err), System.in);
  }

  /** The status of a command that has printed all, unless that failed, as on a full disk. */
  int end(int status) {
    return status == GOOD && out.checkError() ? FAILED : status;
  }

  private static PrintWriter writer(FileDescriptor to) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(to), StandardCharsets.UTF_8), true);
  }
}
