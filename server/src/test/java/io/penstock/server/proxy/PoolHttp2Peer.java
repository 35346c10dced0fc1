package io.penstock.server.proxy;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One end of an HTTP/2 connection: decodes heads, and answers what concerns the connection. */
final class PoolHttp2Peer {
  private static final int ACK = 1;
  private static final int PRIORITY = 0x20;
  private static final int PRIORITY_BYTES = 5;
  private static final int INITIAL_WINDOW = 65_535;

  private final Http2Frames frames;
  private final DefaultHttp2HeadersDecoder heads = new DefaultHttp2HeadersDecoder(false);
  private int window = INITIAL_WINDOW;

  PoolHttp2Peer(Http2Frames frames) {
    this.frames = frames;
  }

  /** Returns how many bytes of DATA the other end accepts on this connection. */
  int window() {
    return window;
  }

  /** Sends DATA. */
  void data(int stream, boolean ends, byte[] payload) throws IOException {
    window -= payload.length;
    frames.write(Http2Frames.DATA, ends ? Http2Frames.END_STREAM : 0, stream, payload);
  }

  /**
   * Returns the next frame that belongs to a stream, or that ends the connection; null if the
   * connection is closed before.
   */
  @Nullable Frame next() throws IOException {
    Frame frame = any();
    while (frame != null && !concernsStreams(frame)) {
      frame = any();
    }
    return frame;
  }

  /** Returns whether a frame belongs to a stream, or ends the connection. */
  static boolean concernsStreams(Frame frame) {
    return switch (frame.type()) {
      case Http2Frames.DATA, Http2Frames.HEADERS, Http2Frames.RESET, Http2Frames.GO_AWAY -> true;
      default -> false;
    };
  }

  /** Returns the next frame, after answering it if it concerns the connection; null at the end. */
  @Nullable Frame any() throws IOException {
    Frame frame = frames.any();
    if (frame != null) {
      answer(frame);
    }
    return frame;
  }

  private void answer(Frame frame) throws IOException {
    boolean isAck = (frame.flags() & ACK) != 0;
    switch (frame.type()) {
      case Http2Frames.SETTINGS -> {
        if (!isAck) {
          frames.write(Http2Frames.SETTINGS, ACK, 0, new byte[0]);
        }
      }
      case Http2Frames.PING -> {
        if (!isAck) {
          frames.write(Http2Frames.PING, ACK, 0, frame.payload().array());
        }
      }
      case Http2Frames.WINDOW_UPDATE -> {
        if (frame.stream() == 0) {
          window += frame.number(0);
        }
      }
      case Http2Frames.DATA -> {
        int length = frame.payload().remaining();
        if (length > 0) {
          // Bodies are smaller than the window of a stream.
          byte[] credit = ByteBuffer.allocate(4).putInt(length).array();
          frames.write(Http2Frames.WINDOW_UPDATE, 0, 0, credit);
        }
      }
      default -> {
        // Needs no answer.
      }
    }
  }

  /** Returns the fields of a HEADERS frame; all of them must be decoded in order. */
  Http2Headers fields(Frame head) throws IOException {
    int priority = (head.flags() & PRIORITY) == 0 ? 0 : PRIORITY_BYTES;
    try {
      return heads.decodeHeaders(
          head.stream(), Unpooled.wrappedBuffer(head.payload()).skipBytes(priority));
    } catch (Http2Exception e) {
      throw new IOException("not a head", e);
    }
  }

  static boolean ends(Frame frame) {
    return (frame.flags() & Http2Frames.END_STREAM) != 0;
  }
}
