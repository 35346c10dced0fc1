package io.penstock.server;

import java.io.IOException;

/** Thrown if a listener or a file can't be opened at startup. */
public final class StartException extends RuntimeException {
  private static final long serialVersionUID = 1;

  StartException(Setting port, int number, Exception cause) {
    this(
        port.flag()
            + ": can't listen on port "
            + number
            + ": "
            + reason(cause)
            + (number == 0 ? "" : "; 0 selects a free port"),
        cause);
  }

  private StartException(String message, Exception cause) {
    super(message, cause);
  }

  static StartException unwritable(Setting file, IOException cause) {
    return new StartException(file.flag() + ": can't be written: " + cause.getMessage(), cause);
  }

  static StartException unusable(Setting files, Exception cause) {
    return new StartException(files.flag() + ": " + cause.getMessage(), cause);
  }

  /** Returns the operating system's reason, which is the last part of the transport's message. */
  private static String reason(Exception cause) {
    String message = String.valueOf(cause.getMessage());
    return message.substring(message.lastIndexOf(": ") + 1).strip();
  }
}
