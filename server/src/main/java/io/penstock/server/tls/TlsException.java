package io.penstock.server.tls;

/** Thrown if certificates or keys are invalid. The message contains the file and the reason. */
public final class TlsException extends Exception {
  private static final long serialVersionUID = 1;

  /** The invalid part. */
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
