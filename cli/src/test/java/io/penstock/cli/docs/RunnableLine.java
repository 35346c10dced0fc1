package io.penstock.cli.docs;

import java.util.regex.Pattern;

/** Lines of pages that can be run by themselves, which {@code DocumentedLinesIT} does. */
public final class RunnableLine {
  private static final Pattern SERVE = Pattern.compile("\\./penstock serve[^\\[…]*");
  private static final Pattern ASK = Pattern.compile("curl .*localhost:8080/v1/.*[^\\\\]");

  private RunnableLine() {}

  public static boolean is(Page.Command command) {
    return command.language().isEmpty() && (isServe(command.line()) || isAsk(command.line()));
  }

  /** Starts the service with some settings. */
  public static boolean isServe(String line) {
    return SERVE.matcher(line).matches();
  }

  /** Asks a service that runs. */
  public static boolean isAsk(String line) {
    return ASK.matcher(line).matches();
  }
}
