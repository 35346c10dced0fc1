package io.penstock.policy.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A verdict as an HTTP response. Immutable, provided that callers don't modify the body. */
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
  private final List<Header> headers;
  private final @Nullable String contentType;
  private final byte[] body;

  /** A header field. */
  public record Header(String name, String value) {}

  HttpAnswer(int status, List<Header> headers, @Nullable String contentType, byte[] body) {
    this.status = status;
    this.headers = List.copyOf(headers);
    this.contentType = contentType;
    this.body = body;
  }

  /**
   * Returns {@link #PASS}, {@link #BAD_REQUEST}, {@link #TOO_MANY_REQUESTS} or {@link
   * #UNAVAILABLE}.
   */
  public int status() {
    return status;
  }

  /** Returns the header fields in order, without the content type. */
  public List<Header> headers() {
    return headers;
  }

  /** Returns the content type; null if there is no body. */
  public @Nullable String contentType() {
    return contentType;
  }

  /** Returns the body, which is not copied; empty if there is none. */
  public byte[] body() {
    return body;
  }

  @Override
  public String toString() {
    return status + " " + headers;
  }
}
