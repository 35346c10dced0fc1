package io.penstock.policy.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A verdict as an HTTP response. Immutable, as long as nobody writes to the body. */
public final class HttpAnswer {
  /** What a request that may pass is answered with by doors that have nothing else to say. */
  public static final int PASS = 200;

  /** For a request whose path is rejected. */
  public static final int BAD_REQUEST = 400;

  /** Some rule allows no more. */
  public static final int TOO_MANY_REQUESTS = 429;

  /** A rule can't be applied, and doesn't let pass what it can't count. */
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

  /** {@link #PASS}, {@link #TOO_MANY_REQUESTS} or {@link #UNAVAILABLE}. */
  public int status() {
    return status;
  }

  /** The fields that say how things stand, in order; the type of the body is not among them. */
  public List<Header> headers() {
    return headers;
  }

  /** The type of the body; null if there is none. */
  public @Nullable String contentType() {
    return contentType;
  }

  /** The body, empty if there is none; not a copy. */
  public byte[] body() {
    return body;
  }

  @Override
  public String toString() {
    return status + " " + headers;
  }
}
