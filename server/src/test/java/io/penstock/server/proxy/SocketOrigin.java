package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An origin that responds with raw bytes or HTTP/2 frames. A script handles each request; the
 * connection is kept until the script throws or the proxy closes it.
 */
final class SocketOrigin implements AutoCloseable {
  private static final int BACKLOG = 1_000;

  /** Responds to one request. */
  interface Script {
    void answer(String head, Connection connection) throws IOException;
  }

  /** Responds to one HTTP/2 request. */
  interface Http2Script {
    void answer(Http2Frames frames, int stream) throws IOException;
  }

  /** Handles one connection until it returns or throws. */
  interface ConnectionScript {
    void serve(Connection connection) throws IOException;
  }

  private final ServerSocket server;
  private final ConnectionScript script;
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  SocketOrigin(Script script) throws IOException {
    this(
        listen(),
        connection -> {
          while (true) {
            script.answer(head(connection.socket()), connection);
          }
        });
  }

  private SocketOrigin(ServerSocket server, ConnectionScript script) {
    this.server = server;
    this.script = script;
    start(this::accept);
  }

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  }

  /** Creates an origin where a script handles whole connections. */
  static SocketOrigin ofConnections(ConnectionScript script) throws IOException {
    return new SocketOrigin(listen(), script);
  }

  /** Creates an origin where a script handles whole connections to a given socket. */
  static SocketOrigin on(ServerSocket server, ConnectionScript script) {
    return new SocketOrigin(server, script);
  }

  /** Creates an HTTP/2 origin that sends the given settings, if any. */
  static SocketOrigin http2(Http2Script script, byte... settings) throws IOException {
    return new SocketOrigin(listen(), connection -> connection.serveHttp2(script, settings));
  }

  /** A connection of the proxy. */
  record Connection(int number, Socket socket) implements AutoCloseable {
    void send(String bytes) throws IOException {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.getOutputStream().flush();
    }

    /** Responds to HTTP/2 requests until the proxy closes the connection. */
    void serveHttp2(Http2Script script, byte... settings) throws IOException {
      try (Http2Frames frames = Http2Frames.server(socket, settings)) {
        Http2Frames.Frame head = frames.next(Http2Frames.HEADERS);
        while (head != null) {
          script.answer(frames, head.stream());
          head = frames.next(Http2Frames.HEADERS);
        }
      }
    }

    /** Reads until the proxy closes the connection. */
    void awaitClose() throws IOException {
      socket.getInputStream().readAllBytes();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  /** Returns the number of connections so far. */
  int accepted() {
    return accepted.get();
  }

  /** Returns the number of open connections. */
  int open() {
    return open.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        Connection connection = new Connection(accepted.incrementAndGet(), socket);
        open.incrementAndGet();
        start(() -> serve(connection));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Connection connection) {
    try (connection) {
      script.serve(connection);
    } catch (IOException closed) {
      // Closed by the proxy or the script.
    } finally {
      open.decrementAndGet();
    }
  }

  static String head(Socket socket) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        throw new IOException("closed by the proxy");
      }
      head.append((char) next);
    }
    return head.toString();
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "socket-origin");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
