package io.penstock.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** Splits a stream of gRPC into its messages. Not thread-safe. */
final class GrpcFrames {
  private static final int HEADER_BYTES = 5;

  private final int maxMessageBytes;
  private Buffer buffer = Buffer.buffer();

  GrpcFrames(int maxMessageBytes) {
    this.maxMessageBytes = maxMessageBytes;
  }

  /** Returns a message with its header. */
  static Buffer frame(MessageLite message) {
    byte[] bytes = message.toByteArray();
    return Buffer.buffer(HEADER_BYTES + bytes.length)
        .appendByte((byte) 0)
        .appendInt(bytes.length)
        .appendBytes(bytes);
  }

  void add(Buffer chunk) {
    buffer.appendBuffer(chunk);
  }

  /**
   * Returns the next message; null if it is not complete.
   *
   * @throws InvalidProtocolBufferException if it is compressed or too large
   */
  byte @Nullable [] next() throws InvalidProtocolBufferException {
    if (buffer.length() < HEADER_BYTES) {
      return null;
    }
    long length = buffer.getUnsignedInt(1);
    if (buffer.getByte(0) != 0 || length > maxMessageBytes) {
      throw new InvalidProtocolBufferException(
          "the message must be uncompressed and at most "
              + maxMessageBytes
              + " bytes, but has "
              + length);
    }
    int end = HEADER_BYTES + (int) length;
    if (buffer.length() < end) {
      return null;
    }
    byte[] message = buffer.getBytes(HEADER_BYTES, end);
    buffer = buffer.getBuffer(end, buffer.length());
    return message;
  }
}
