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
 * An origin that responds with raw bytes. A script handles each request; the connection is kept
 * until the script throws or the proxy closes it.
 */
final class SocketOrigin implements AutoCloseable {
  private static final int BACKLOG = 1_000;

  /** Responds to one request. */
  interface Script {
    void answer(String head, Connection connection) throws IOException;
  }

  private final ServerSocket server =
      new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  private final Script script;
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  SocketOrigin(Script script) throws IOException {
    this.script = script;
    start(this::accept);
  }

  /** A connection of the proxy. */
  record Connection(int number, Socket socket) {
    void send(String bytes) throws IOException {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.getOutputStream().flush();
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
    try (Socket socket = connection.socket()) {
      while (true) {
        script.answer(head(socket), connection);
      }
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
