package io.penstock.server;

/** A door can't be opened. */
public final class StartException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final String IN_USE = "in use";

  StartException(Setting port, Exception cause) {
    super(port.flag() + ": can't listen: " + reason(String.valueOf(cause.getMessage())), cause);
  }

  /** The system's word for it is the last of what a transport says. */
  private static String reason(String message) {
    String last = message.substring(message.lastIndexOf(": ") + 1).strip();
    return message.contains(IN_USE) ? last + "; 0 takes a free port" : last;
  }
}
