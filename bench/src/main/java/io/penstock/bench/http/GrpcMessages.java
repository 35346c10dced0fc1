package io.penstock.bench.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;

/** Messages of Envoy's rate limit service, encoded by hand: this module has no generated ones. */
final class GrpcMessages {
  static final String METHOD = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  /** What Penstock is configured with: a limit that is never reached. */
  static final String CONFIG =
      """
      domain: bench
      descriptors:
        - key: path
          value: /search
          descriptors:
            - {key: remote_address, rate_limit: {unit: second, requests_per_unit: 1000000000}}
      """;

  private static final int HEADER_BYTES = 5;
  private static final int LENGTH_DELIMITED = 2;
  private static final int FIELD_BITS = 3;

  /** The first field of a response, overall_code, with the value OK. */
  private static final int[] ALLOWED = {0x08, 0x01};

  private GrpcMessages() {}

  /** Returns a request with a descriptor of two entries, as a gRPC frame. */
  static Buffer request() {
    Buffer descriptor =
        Buffer.buffer()
            .appendBuffer(field(1, entry("path", "/search")))
            .appendBuffer(field(1, entry("remote_address", "203.0.113.7")));
    return frame(
        Buffer.buffer()
            .appendBuffer(field(1, Buffer.buffer("bench")))
            .appendBuffer(field(2, descriptor)));
  }

  private static Buffer entry(String key, String value) {
    return Buffer.buffer()
        .appendBuffer(field(1, Buffer.buffer(key)))
        .appendBuffer(field(2, Buffer.buffer(value.getBytes(UTF_8))));
  }

  /** Encodes a field of less than 128 bytes. */
  private static Buffer field(int number, Buffer content) {
    return Buffer.buffer()
        .appendByte((byte) (number << FIELD_BITS | LENGTH_DELIMITED))
        .appendByte((byte) content.length())
        .appendBuffer(content);
  }

  static Buffer frame(Buffer message) {
    return Buffer.buffer(HEADER_BYTES + message.length())
        .appendByte((byte) 0)
        .appendInt(message.length())
        .appendBuffer(message);
  }

  /** Returns the message in a frame. */
  static Buffer message(Buffer frame) {
    return frame.getBuffer(HEADER_BYTES, frame.length());
  }

  /** Returns whether a frame contains a response that allows a request. */
  static boolean isAllowed(Buffer frame) {
    return frame.length() > HEADER_BYTES + 1
        && frame.getByte(HEADER_BYTES) == ALLOWED[0]
        && frame.getByte(HEADER_BYTES + 1) == ALLOWED[1];
  }
}
