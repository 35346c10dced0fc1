package io.penstock.server.proxy;

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

/** A client that speaks HTTP/2 frame by frame, and does what no library lets one do. */
final class Http2Frames implements AutoCloseable {
  static final int HEADERS = 1;
  static final int RESET = 3;
  static final int SETTINGS = 4;
  static final int GO_AWAY = 7;
  static final int END_STREAM = 1;

  private static final int END_HEADERS = 4;
  private static final int CANCEL = 8;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;

  /** A frame that came. */
  record Frame(int type, int stream, ByteBuffer payload) {
    /** The four bytes at a place. */
    int number(int at) {
      return payload.getInt(at);
    }
  }

  Http2Frames(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    this.out = new DataOutputStream(socket.getOutputStream());
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    write(SETTINGS, 0, 0, new byte[0]);
  }

  /** {@code GET /} of host a, whose body ends here or not. */
  void get(int stream, boolean ends) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    // Of the static table: GET, http, /; and an authority.
    head.writeBytes(new byte[] {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x01, 0x01, 'a'});
    write(HEADERS, END_HEADERS | (ends ? END_STREAM : 0), stream, head.toByteArray());
  }

  void reset(int stream) throws IOException {
    write(RESET, 0, stream, new byte[] {0, 0, 0, CANCEL});
  }

  void write(int type, int flags, int stream, byte[] payload) throws IOException {
    out.writeByte(payload.length >> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
  }

  /** The next frame of a type; null if the connection is closed before. */
  @Nullable Frame next(int type) throws IOException {
    try {
      while (true) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int read = in.readUnsignedByte();
        in.readUnsignedByte();
        int stream = in.readInt();
        Frame frame = new Frame(read, stream, ByteBuffer.wrap(in.readNBytes(length)));
        if (read == type) {
          return frame;
        }
      }
    } catch (EOFException | SocketException closed) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
