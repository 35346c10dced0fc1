package io.penstock.bench.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;

/** Reads the commit of the measured code. */
final class Commit {
  private static final String UNKNOWN = "unknown";

  private Commit() {}

  /** Returns the short hash, with a plus sign if code has been changed since. */
  static String current() {
    String hash = git("rev-parse", "--short", "HEAD");
    if (hash.isEmpty()) {
      return UNKNOWN;
    }
    boolean changed = !git("status", "--porcelain", "--", ".", ":(exclude)docs").isEmpty();
    return hash + (changed ? "+" : "");
  }

  /** Returns the output; empty if git is not installed or this is not a repository. */
  private static String git(String... arguments) {
    String[] command = new String[arguments.length + 1];
    command[0] = "git";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      return process.waitFor() == 0 ? output : "";
    } catch (IOException notInstalled) {
      return "";
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
