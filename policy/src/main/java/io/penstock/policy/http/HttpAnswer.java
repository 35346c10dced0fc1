package io.penstock.policy.http;

/**
 * The status and the body of a response; its header fields go to a {@link HeaderSink}. Immutable,
 * provided that callers don't modify the body.
 */
public final class HttpAnswer {
  /** The status for an allowed request, if the endpoint has no other response. */
  public static final int PASS = 200;

  /** The status for a request whose path is rejected. */
  public static final int BAD_REQUEST = 400;

  /** The status for a request over the limit. */
  public static final int TOO_MANY_REQUESTS = 429;

  /** The status for a request that a rule denies because it can't be evaluated. */
  public static final int UNAVAILABLE = 503;

  private final int status;
  private final byte[] body;

  HttpAnswer(int status, byte[] body) {
    this.status = status;
    this.body = body;
  }

  /**
   * Returns {@link #PASS}, {@link #BAD_REQUEST}, {@link #TOO_MANY_REQUESTS}, {@link #UNAVAILABLE},
   * or the status that the caller chose for denials.
   */
  public int status() {
    return status;
  }

  /** Returns the body, which is not copied. */
  public byte[] body() {
    return body;
  }

  @Override
  public String toString() {
    return "status " + status;
  }
}
