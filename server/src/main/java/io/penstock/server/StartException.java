package io.penstock.server;

/** A door can't be opened. */
public final class StartException extends RuntimeException {
  private static final long serialVersionUID = 1;

  StartException(Setting port, Exception cause) {
    super(port.flag() + ": can't listen: " + cause.getMessage() + "; 0 takes a free port", cause);
  }
}
