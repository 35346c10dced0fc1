package io.penstock.server.proxy;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/2 client or server that sends single frames, including invalid sequences that no library
 * allows.
 */
public final class Http2Frames implements AutoCloseable {
  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int RESET = 3;
  public static final int SETTINGS = 4;
  public static final int GO_AWAY = 7;
  public static final int WINDOW_UPDATE = 8;
  public static final int END_STREAM = 1;

  public static final int PING = 6;
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int CANCEL = 8;
  private static final int PRIORITY = 0x20;
  private static final int PRIORITY_BYTES = 5;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final DefaultHttp2HeadersDecoder heads = new DefaultHttp2HeadersDecoder(false);
  private boolean goneAway;
  private boolean reset;

  /** A received frame. */
  public record Frame(int type, int flags, int stream, ByteBuffer payload) {
    /** Returns the four bytes at an offset. */
    public int number(int at) {
      return payload.getInt(at);
    }
  }

  public Http2Frames(Socket socket) throws IOException {
    this(socket, PREFACE, new byte[0]);
  }

  /** Creates the server side, which receives the preface instead of sending it. */
  public static Http2Frames server(Socket socket) throws IOException {
    return server(socket, new byte[0]);
  }

  /** Creates the server side with the given settings. */
  public static Http2Frames server(Socket socket, byte[] settings) throws IOException {
    Http2Frames frames = new Http2Frames(socket, new byte[0], settings);
    frames.in.readNBytes(PREFACE.length);
    frames.write(SETTINGS, ACK, 0, new byte[0]);
    return frames;
  }

  /** Creates a side that sends nothing by itself. */
  public static Http2Frames raw(Socket socket) throws IOException {
    return new Http2Frames(socket, new byte[0]);
  }

  private Http2Frames(Socket socket, byte[] preface, byte[] settings) throws IOException {
    this(socket, preface);
    write(SETTINGS, 0, 0, settings);
  }

  private Http2Frames(Socket socket, byte[] preface) throws IOException {
    this.socket = socket;
    // Frames are written one by one and must not wait for acknowledgements.
    socket.setTcpNoDelay(true);
    this.in = new DataInputStream(socket.getInputStream());
    this.out = new DataOutputStream(socket.getOutputStream());
    out.write(preface);
  }

  /** Returns the socket, for bytes that are not single frames. */
  public Socket socket() {
    return socket;
  }

  /** Sends {@code GET /} for host a, with or without the end of the stream. */
  public void get(int stream, boolean ends) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    // From the static table: GET, http, /; then an authority.
    head.writeBytes(new byte[] {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x01, 0x01, 'a'});
    write(HEADERS, END_HEADERS | (ends ? END_STREAM : 0), stream, head.toByteArray());
  }

  /** Sends the head of a request or response; names and values alternate and are sent unchanged. */
  public void head(int stream, boolean ends, String... fields) throws IOException {
    write(HEADERS, END_HEADERS | (ends ? END_STREAM : 0), stream, block(fields));
  }

  /** Encodes fields as literals without indexing. */
  public static byte[] block(String... fields) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (int i = 0; i < fields.length; i++) {
      if (i % 2 == 0) {
        block.write(0);
      }
      byte[] text = fields[i].getBytes(StandardCharsets.ISO_8859_1);
      length(block, text.length);
      block.writeBytes(text);
    }
    return block.toByteArray();
  }

  private static void length(ByteArrayOutputStream block, int length) {
    if (length < 127) {
      block.write(length);
      return;
    }
    block.write(127);
    int rest = length - 127;
    while (rest >= 128) {
      block.write(128 | (rest & 127));
      rest >>= 7;
    }
    block.write(rest);
  }

  /** Returns the status in a HEADERS frame; frames of one connection must be decoded in order. */
  public int status(Frame headers) {
    return Integer.parseInt(String.valueOf(field(headers, ":status")));
  }

  /** Returns a field in a HEADERS frame; null if it is missing. Decode all frames in order. */
  public @Nullable String field(Frame headers, String name) {
    int priority = (headers.flags() & PRIORITY) == 0 ? 0 : PRIORITY_BYTES;
    try {
      Http2Headers read =
          heads.decodeHeaders(
              headers.stream(), Unpooled.wrappedBuffer(headers.payload()).skipBytes(priority));
      CharSequence value = read.get(name);
      return value == null ? null : value.toString();
    } catch (Http2Exception e) {
      throw new AssertionError(e);
    }
  }

  public void reset(int stream) throws IOException {
    write(RESET, 0, stream, new byte[] {0, 0, 0, CANCEL});
  }

  public void write(int type, int flags, int stream, byte[] payload) throws IOException {
    out.writeByte(payload.length >> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
  }

  /** Returns the next frame of a type; null if the connection is closed before. */
  public @Nullable Frame next(int type) throws IOException {
    return nextOf(type, type);
  }

  /** Returns the next frame of either type; null if the connection is closed before. */
  public @Nullable Frame nextOf(int type, int other) throws IOException {
    Frame frame = any();
    while (frame != null && frame.type() != type && frame.type() != other) {
      frame = any();
    }
    return frame;
  }

  /** Returns the next frame; null if the connection is closed before. */
  public @Nullable Frame any() throws IOException {
    try {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      goneAway |= type == GO_AWAY;
      return new Frame(type, flags, stream, ByteBuffer.wrap(in.readNBytes(length)));
    } catch (EOFException closed) {
      return null;
    } catch (SocketException closed) {
      reset = true;
      return null;
    }
  }

  /** Returns whether the other side has announced the end of the connection by a GOAWAY. */
  public boolean hasGoneAway() {
    return goneAway;
  }

  /** Returns whether the other side reset the connection. */
  public boolean wasReset() {
    return reset;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
