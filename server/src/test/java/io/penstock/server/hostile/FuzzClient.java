package io.penstock.server.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.penstock.server.hostile.Listeners.Listener;
import io.penstock.server.proxy.Http2Frames;
import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Random;

/** Sends one hostile request on its own connection, and returns the outcome. */
final class FuzzClient {
  /** The outcome of a request. */
  enum Outcome {
    ANSWERED,
    /** The server closed the connection without a response. */
    CLOSED,
    /** The server closed the HTTP/2 connection after a GOAWAY. */
    GONE_AWAY,
    /** The server closed or reset the connection before it had read everything. */
    UNREAD,
    /**
     * The proxy waited for the rest of a body, which it does until the idle timeout, and closed the
     * connection when the client closed its half.
     */
    STALLED,
    /** The server reset the connection, although it had read everything that the client sent. */
    RESET,
    /** Neither a response nor a close within the client's timeout. */
    HANGING,
    /** A response that reports an internal error. */
    FAILED;

    boolean isOrderly() {
      return compareTo(RESET) < 0;
    }
  }

  private static final int SHORT_PATIENCE_MILLIS = 5_000;
  private static final int MAX_PIECES = 3;
  private static final int MAX_REPEATS = 3;
  private static final int SENTINEL = 0x7ffffff1;

  /** The initial flow-control window and the max size of a DATA frame. */
  private static final int MAX_DATA = 16_384;

  private final Connector connector;
  private final Listener listener;
  private final Random random;

  /** Opens connections with a timeout for reading. */
  interface Connector {
    Socket connect() throws IOException;
  }

  FuzzClient(Listeners listeners, Listener listener, Random random) {
    this(() -> listeners.connect(listener), listener, random);
  }

  FuzzClient(Connector connector, Listener listener, Random random) {
    this.connector = connector;
    this.listener = listener;
    this.random = random;
  }

  /** Sends bytes that may be incomplete, at once or in pieces. */
  Outcome send(byte[] bytes) throws IOException {
    Outcome outcome = exchange(bytes, this::readOrStall);
    return outcome == Outcome.RESET && endsBeforeTheLastByte(bytes) ? Outcome.UNREAD : outcome;
  }

  /** Sends a complete request, at once or in pieces. */
  Outcome sendComplete(byte[] request) throws IOException {
    return exchange(request, FuzzClient::read);
  }

  /** Returns whether the server closes the connection without waiting for the last byte. */
  private boolean endsBeforeTheLastByte(byte[] bytes) throws IOException {
    if (bytes.length == 0) {
      return false;
    }
    Outcome outcome = exchange(Arrays.copyOf(bytes, bytes.length - 1), this::readOrStall);
    return outcome == Outcome.CLOSED || outcome == Outcome.UNREAD || outcome == Outcome.RESET;
  }

  /** Reads a response. */
  private interface Reading {
    Outcome read(Socket socket) throws IOException;
  }

  private Outcome exchange(byte[] bytes, Reading reading) throws IOException {
    boolean writing = true;
    Socket socket = connector.connect();
    try (socket) {
      try {
        write(socket, bytes);
        writing = false;
      } catch (SocketException closedByThen) {
        // There may still be a response.
      }
      return classified(reading.read(socket), writing);
    } catch (SocketTimeoutException e) {
      return Outcome.HANGING;
    } catch (SocketException reset) {
      return classified(Outcome.RESET, writing);
    }
  }

  /** A server that closes the connection while the client writes has not read everything. */
  private static Outcome classified(Outcome outcome, boolean writing) {
    boolean ended = outcome == Outcome.CLOSED || outcome == Outcome.RESET;
    return ended && writing ? Outcome.UNREAD : outcome;
  }

  private Outcome readOrStall(Socket socket) throws IOException {
    if (listener != Listener.PROXY) {
      return read(socket);
    }
    socket.setSoTimeout(SHORT_PATIENCE_MILLIS);
    try {
      return read(socket);
    } catch (SocketTimeoutException unfinishedBody) {
      socket.setSoTimeout(Listeners.PATIENCE_MILLIS);
      socket.shutdownOutput();
      read(socket);
      return Outcome.STALLED;
    }
  }

  private void write(Socket socket, byte[] bytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    int from = 0;
    for (int piece = random.nextInt(MAX_PIECES); piece > 0 && from < bytes.length; piece--) {
      int to = from + random.nextInt(bytes.length - from);
      out.write(bytes, from, to - from);
      out.flush();
      from = to;
    }
    out.write(bytes, from, bytes.length - from);
  }

  /** Reads the first head that is not informational. */
  private static Outcome read(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    for (int next = in.read(); next >= 0; next = in.read()) {
      head.append((char) next);
      boolean ends = next == '\n' && head.length() >= 4 && isEnd(head);
      if (ends && !head.substring(9, 10).equals("1")) {
        return head.substring(9, 12).equals("500") ? Outcome.FAILED : Outcome.ANSWERED;
      }
      if (ends && head.substring(9, 12).equals("101")) {
        return Outcome.ANSWERED;
      }
      if (ends) {
        head.setLength(0);
      }
      if (head.length() > 3 && head.charAt(0) != 'H') {
        // HTTP/2 frames: the client has sent the preface.
        return Outcome.ANSWERED;
      }
    }
    return Outcome.CLOSED;
  }

  private static boolean isEnd(StringBuilder head) {
    return head.substring(head.length() - 4).equals("\r\n\r\n") && head.length() > 12;
  }

  /** Sends random frames, then a valid request, and waits for the outcome of that request. */
  Outcome sendFrames() throws IOException {
    long seed = random.nextLong();
    Outcome outcome = frames(seed, true);
    // A reset can discard the GOAWAY before it, so only one that repeats itself counts.
    for (int i = 0; i < MAX_REPEATS && outcome == Outcome.RESET; i++) {
      // A server that closes the connection without the last request has not read everything.
      outcome = frames(seed, false) == Outcome.HANGING ? frames(seed, true) : Outcome.UNREAD;
    }
    return outcome;
  }

  private Outcome frames(long seed, boolean complete) throws IOException {
    return new FuzzClient(connector, listener, new Random(seed)).frames(complete);
  }

  private Outcome frames(boolean complete) throws IOException {
    boolean writing = true;
    Socket socket = connector.connect();
    try (socket;
        Http2Frames client = new Http2Frames(socket)) {
      socket.setSoTimeout(SHORT_PATIENCE_MILLIS);
      try {
        int count = random.nextInt(12);
        for (int i = 0; i < count; i++) {
          frame(client, 2 * i + 1);
        }
        if (complete) {
          client.get(SENTINEL, true);
        }
        writing = false;
      } catch (SocketException closedByThen) {
        // A GOAWAY with the reason was sent before.
      }
      Outcome outcome;
      try {
        outcome = await(client);
      } catch (SocketTimeoutException unfinishedFrame) {
        if (!complete) {
          return Outcome.HANGING;
        }
        // The valid request may be read as the rest of a longer frame.
        socket.setSoTimeout(Listeners.PATIENCE_MILLIS);
        socket.shutdownOutput();
        outcome = await(client);
      }
      return classified(outcome, writing);
    } catch (SocketTimeoutException e) {
      return Outcome.HANGING;
    } catch (SocketException reset) {
      return classified(Outcome.RESET, writing);
    }
  }

  /** Sends a gRPC call that is complete, however malformed, and waits for its end. */
  Outcome sendCall() throws IOException {
    boolean writing = true;
    try (Socket socket = connector.connect();
        Http2Frames client = new Http2Frames(socket)) {
      try {
        String[] head = GrpcCalls.head(random);
        client.head(1, false, head);
        byte[] content = GrpcCalls.content(random);
        for (int at = 0; at < content.length; at += MAX_DATA) {
          int to = Math.min(content.length, at + MAX_DATA);
          client.write(Http2Frames.DATA, 0, 1, Arrays.copyOfRange(content, at, to));
        }
        if (GrpcCalls.ends(head)) {
          client.write(Http2Frames.DATA, Http2Frames.END_STREAM, 1, new byte[0]);
        } else {
          client.reset(1);
          client.get(SENTINEL, true);
        }
        writing = false;
      } catch (SocketException closedByThen) {
        // The response or the reason was sent before.
      }
      return classified(awaitEnd(client), writing);
    } catch (SocketTimeoutException e) {
      return Outcome.HANGING;
    } catch (SocketException reset) {
      return classified(Outcome.RESET, writing);
    }
  }

  private static Outcome awaitEnd(Http2Frames client) throws IOException {
    for (Frame frame = client.any(); frame != null; frame = client.any()) {
      boolean ends = (frame.flags() & Http2Frames.END_STREAM) != 0;
      if (frame.type() == Http2Frames.RESET
          || (ends && frame.type() == Http2Frames.HEADERS)
          || (ends && frame.type() == Http2Frames.DATA)) {
        return Outcome.ANSWERED;
      }
    }
    return client.hasGoneAway() ? Outcome.GONE_AWAY : Outcome.CLOSED;
  }

  private static Outcome await(Http2Frames client) throws IOException {
    for (Frame frame = client.any(); frame != null; frame = client.any()) {
      boolean ours = frame.stream() == SENTINEL;
      if (ours && (frame.type() == Http2Frames.HEADERS || frame.type() == Http2Frames.RESET)) {
        return Outcome.ANSWERED;
      }
    }
    if (client.hasGoneAway()) {
      return Outcome.GONE_AWAY;
    }
    return client.wasReset() ? Outcome.RESET : Outcome.CLOSED;
  }

  private void frame(Http2Frames client, int stream) throws IOException {
    if (listener == Listener.ENVOY && random.nextBoolean()) {
      client.head(stream, random.nextInt(8) == 0, GrpcCalls.head(random));
      byte[] content = GrpcCalls.content(random);
      client.write(
          Http2Frames.DATA,
          random.nextInt(2),
          stream,
          Arrays.copyOf(content, Math.min(MAX_DATA, content.length)));
      return;
    }
    switch (random.nextInt(8)) {
      case 0 -> client.get(stream, random.nextBoolean());
      case 1 -> client.head(stream, random.nextBoolean(), fields());
      case 2 -> client.reset(random.nextInt(stream + 2));
      case 3 -> client.write(random.nextInt(12), random.nextInt(256), stream, bytes(20));
      case 4 -> client.write(0, random.nextInt(2), random.nextInt(stream + 2), bytes(2_000));
      case 5 -> client.write(Http2Frames.SETTINGS, random.nextInt(2), 0, bytes(24));
      case 6 -> client.write(8, 0, random.nextInt(stream + 2), bytes(5));
      default -> client.write(Http2Frames.HEADERS, random.nextInt(64), stream, mutatedBlock());
    }
  }

  private byte[] bytes(int max) {
    byte[] bytes = new byte[random.nextInt(max)];
    if (random.nextBoolean()) {
      random.nextBytes(bytes);
    }
    return bytes;
  }

  private byte[] mutatedBlock() {
    byte[] block = Http2Frames.block(fields());
    block[random.nextInt(block.length)] = (byte) random.nextInt(256);
    return block;
  }

  private String[] fields() {
    String[] fields = {
      ":method",
      one("GET", "POST", "CONNECT", "G T", "", "PRI"),
      ":scheme",
      one("http", "https", "", "x"),
      ":path",
      one("/", "/v1/check", "/v1/forward-auth", "*", "", "a", "/livez", "/%zz", "/\u0000"),
      ":authority",
      one("a", "a%20b", "", "[::1", "a:b", "a:99999", "\u00ff"),
      one("host", "te", "cookie", "connection", "X", "content-length", "a b", "x"),
      one("a", "b%20c", "trailers", "-1", "5", "\r\n", "")
    };
    int drop = random.nextInt(12);
    if (drop < 4) {
      fields[2 * drop] = "x-" + drop;
    }
    return fields;
  }

  private String one(String... of) {
    return of[random.nextInt(3) > 0 ? 0 : random.nextInt(of.length)];
  }

  /** Formats bytes as a Java string, for reproduction. */
  static String shown(byte[] bytes) {
    StringBuilder shown = new StringBuilder();
    for (char c : new String(bytes, 0, Math.min(bytes.length, 600), ISO_8859_1).toCharArray()) {
      shown.append(c >= ' ' && c < 127 ? String.valueOf(c) : String.format("\\x%02x", (int) c));
    }
    return shown.toString();
  }
}
