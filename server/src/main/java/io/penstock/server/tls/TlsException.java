package io.penstock.server.tls;

/** Certificates or keys can't be used. The message says which file, and why. */
public final class TlsException extends Exception {
  private static final long serialVersionUID = 1;

  TlsException(String message) {
    super(message);
  }

  TlsException(String message, Throwable cause) {
    super(message, cause);
  }
}
