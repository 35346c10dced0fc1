package io.penstock.policy.accesslog;

/** An access log can't be opened, or its format is not recognized. */
public class AccessLogException extends RuntimeException {
  private static final long serialVersionUID = 1;

  AccessLogException(String message) {
    super(message);
  }

  AccessLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
