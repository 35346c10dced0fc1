package io.penstock.cli.recipes;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An origin that accepts WebSockets and echoes what they send, and that responds to other requests
 * with server-sent events and keeps the response open.
 */
final class StreamingOrigin implements AutoCloseable {
  private static final String KEY_HEADER = "sec-websocket-key: ";
  private static final Set<String> UPGRADE = Set.of("connection: upgrade", "upgrade: websocket");
  private static final String ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private final List<OutputStream> eventStreams = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final ServerSocket server;

  StreamingOrigin() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() throws IOException {
    while (true) {
      Socket socket = server.accept();
      sockets.add(socket);
      start(() -> serve(socket));
    }
  }

  private void serve(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    OutputStream out = socket.getOutputStream();
    String key = "";
    Set<String> headers = new HashSet<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      if (line.regionMatches(true, 0, KEY_HEADER, 0, KEY_HEADER.length())) {
        key = line.substring(KEY_HEADER.length());
      }
      headers.add(line.toLowerCase(Locale.ROOT));
    }
    if (!headers.containsAll(UPGRADE)) {
      // Before the client can see the head and ask for an event.
      eventStreams.add(out);
      write(
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
          out);
      return;
    }
    write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Accept: "
            + acceptance(key)
            + "\r\n\r\n",
        out);
    in.transferTo(out);
  }

  /** Sends an event to all clients that have received the head of their response. */
  void send(String event) throws IOException {
    String data = "data: " + event + "\n\n";
    for (OutputStream out : eventStreams) {
      write(Integer.toHexString(data.length()) + "\r\n" + data + "\r\n", out);
    }
  }

  private static String acceptance(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest((key + ACCEPT_SUFFIX).getBytes(ISO_8859_1));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void write(String text, OutputStream out) throws IOException {
    out.write(text.getBytes(ISO_8859_1));
    out.flush();
  }

  /** Reads a line of a head, without its line ending. */
  static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      line.append((char) c);
    }
    return line.toString().trim();
  }

  /** Something that fails when the test is over. */
  private interface Task {
    void run() throws IOException;
  }

  private static void start(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException closed) {
                // The test is over, or its assertions will fail.
              }
            },
            "streaming-origin");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      server.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
