package io.penstock.policy.accesslog;

import java.util.Locale;

/** The format of a log is not recognized. */
final class UnrecognizedLogException extends AccessLogException {
  private static final long serialVersionUID = 1;

  private final String log;
  private final long lines;

  /**
   * @param lines how many lines were read
   */
  UnrecognizedLogException(String log, long lines, String message) {
    super(message);
    this.log = log;
    this.lines = lines;
  }

  /** Returns the log with the number of lines. */
  String describe() {
    return String.format(Locale.ROOT, "%s (%,d lines)", log, lines);
  }
}
