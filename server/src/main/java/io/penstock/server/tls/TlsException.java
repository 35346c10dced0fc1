package io.penstock.server.tls;

/** Certificates or keys can't be used. The message says which file, and why. */
public final class TlsException extends Exception {
  private static final long serialVersionUID = 1;

  /** What is wrong. */
  public enum TlsPart {
    CERTIFICATE,
    KEY,
    CLIENT_CA
  }

  private final TlsPart part;

  TlsException(TlsPart part, String message) {
    super(message);
    this.part = part;
  }

  TlsException(TlsPart part, String message, Throwable cause) {
    super(message, cause);
    this.part = part;
  }

  public TlsPart part() {
    return part;
  }
}
