package io.penstock.cli.docs;

import java.util.regex.Pattern;

/** Identifies the single command lines of pages that {@code DocumentedLinesIT} runs. */
public final class RunnableLine {
  private static final Pattern SERVE = Pattern.compile("\\./penstock serve[^\\[…]*");
  private static final Pattern REQUEST = Pattern.compile("curl .*localhost:8080/v1/.*[^\\\\]");

  private RunnableLine() {}

  public static boolean is(Page.Command command) {
    return command.language().isEmpty() && (isServe(command.line()) || isRequest(command.line()));
  }

  /** Returns whether a line starts the service. */
  public static boolean isServe(String line) {
    return SERVE.matcher(line).matches();
  }

  /** Returns whether a line sends a request to a running service. */
  public static boolean isRequest(String line) {
    return REQUEST.matcher(line).matches();
  }
}
