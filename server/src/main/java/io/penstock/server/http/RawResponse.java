package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A whole HTTP/1.1 response as bytes, for a connection that is closed after it and whose request
 * Vert.x doesn't know. Immutable.
 */
final class RawResponse {
  static final RawResponse TIMEOUT =
      new RawResponse(408, "Request Timeout", "The headers did not arrive in time");
  static final RawResponse ERROR =
      new RawResponse(500, "Internal Server Error", FailedRequests.DETAIL);

  private final int status;
  private final byte[] head;
  private final byte[] body;

  private RawResponse(int status, String title, String detail) {
    this.status = status;
    this.body = ProblemResponses.body(status, title, detail);
    this.head =
        "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(status, title, ProblemResponses.TYPE, body.length)
            .getBytes(US_ASCII);
  }

  int status() {
    return status;
  }

  int bodyBytes() {
    return body.length;
  }

  ByteBuf bytes() {
    return Unpooled.wrappedBuffer(head, body);
  }
}
